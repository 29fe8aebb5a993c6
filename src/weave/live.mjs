// What makes programs and figures live in the page. Read when a reader first
// runs one or points at one.

import { showValues } from './figure_values.mjs';
import { figureFor, openRun } from './run/run.mjs';

globalThis.manyHeadsLive = { figureFor, run: openRun, values: showValues };
