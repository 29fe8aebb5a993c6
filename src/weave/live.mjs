// What makes programs, figures and links live in the page. Read when a reader
// first runs one or points at one.

import { showValues } from './figure_values.mjs';
import { preview } from './preview.mjs';
import { figureFor, openRun } from './run/run.mjs';

globalThis.manyHeadsLive = { figureFor, preview, run: openRun, values: showValues };
