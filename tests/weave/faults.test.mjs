// Every fault that must stop the book, planted one at a time. Each must be
// named at its line; `whole.test.mjs` shows that the book without it is made.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { complaints, copyBook, edit } from './small_book.mjs';

const PAGE = 'book/01_first.md';
const PROGRAM = 'chapters/01_first/first.cpp';
const SECOND = 'chapters/01_first/second.hpp';
const FAKE = 'chapters/01_first/first.sh';
const LIBRARY = 'src/mha/tiny.hpp';
const EXERCISE = 'chapters/01_first/exercises/1_three.cpp';
const SOLUTION = 'chapters/01_first/solutions/1_three.cpp';
const CHECK = 'chapters/01_first/checks/1_three.cpp';
const FRONT = 'book/00_front.md';
const GLOSSARY = 'book/92_glossary.md';
const SOLUTIONS = 'book/91_solutions.md';
const REPORTS = 'book/bug_reports.json';
const CONTINUED = 'book/01a_more_first_things.md';

/**
 * One fault: `from` becomes `to` in `file`; the weave must then say `says` at
 * `at` (file:line, or a file and a piece of the line's text). A fault that takes
 * two edits has the second in `also`.
 */
function fault(name, { file, from, to, at, says, also }) {
  test(name, async () => {
    const book = copyBook();
    try {
      edit(book, file, from, to);
      if (also) edit(book, also.file, also.from, also.to);
      const lines = await complaints(book);
      const place = placeOf(book, at ?? [file, to.split('\n')[0]]);
      const there = lines.filter((line) => line.startsWith(`${place}: `));
      assert.ok(there.some((line) => says.test(line)),
        `expected "${place}: … ${says} …", got:\n${lines.join('\n') || 'nothing: the book was made'}`);
      assert.ok(!fs.existsSync(book.out), 'no book is left behind');
    } finally {
      book.remove();
    }
  });
}

function placeOf(book, at) {
  if (typeof at === 'string') return at;
  const [file, text] = at;
  const line = book.read(file).split('\n').findIndex((candidate) => candidate.includes(text)) + 1;
  assert.ok(line > 0, `${file} holds "${text}"`);
  return `${file}:${line}`;
}

// --- parts ---

fault('an unknown part', { file: PAGE, from: 'first.cpp: add}}', to: 'first.cpp: plus}}', says: /no part "plus" in first\.cpp; it has print, add/ });
fault('an unknown source file', { file: PAGE, from: 'first.cpp: add}}', to: 'furst.cpp: add}}', says: /no source file is called furst\.cpp/ });
fault('a part named where a test case is meant', { file: PAGE, from: '{{claim first.cpp: the sum of "two" and two is four}}', to: '{{claim first.cpp: add}}', says: /is a part, not a test case/ });
fault('an empty part', { file: PROGRAM, from: '// [print]\nint', to: '// [none]\n\n// [none]\n// [print]\nint', says: /part \[none\] is empty/ });
fault('a marker without its pair', { file: PROGRAM, from: '// [print]\n\nTEST', to: '\nTEST', at: [PROGRAM, '// [print]'], says: /marker \[print\] has no pair/ });
fault('a part inside a part', { file: PROGRAM, from: '  if (true) {', to: '  // [inner]\n  // [inner]\n  if (true) {', says: /\[inner\] stands inside part \[print\]/ });
fault('two parts of one name', { file: PROGRAM, from: 'TEST_CASE', to: '// [add]\nint x;\n// [add]\n\nTEST_CASE', at: `${PROGRAM}:20`, says: /second part of that name/ });
fault('a marker inside a test case', { file: PROGRAM, from: '  CHECK', to: '  // [check]\n  CHECK', says: /marker inside test case/ });
fault('a test case that never ends', { file: PROGRAM, from: '  CHECK(add(2, 2) == 4);\n}', to: '  CHECK(add(2, 2) == 4); }', at: [PROGRAM, 'TEST_CASE'], says: /no closing brace/ });
fault('a part shown twice', { file: PAGE, from: 'Now the printing.', to: '{{code first.cpp: add}}', at: `${PAGE}:21`, says: /already shown at book\/01_first\.md:19/ });
fault('a program line that no page shows', { file: PROGRAM, from: 'TEST_CASE', to: 'int stray;\n\nTEST_CASE', says: /this line is in no part that a page shows/ });
fault('a line of a program\'s other file that no page shows', { file: SECOND, from: '// [half]\n///', to: 'int stray;\n\n// [half]\n///', says: /this line is in no part that a page shows/ });
fault('a library line that no page shows', { file: LIBRARY, from: '}  // namespace', to: 'inline int stray = 1;\n\n}  // namespace', says: /in no part that a page shows/ });
fault('a part that no page shows', { file: PAGE, from: '{{code first.cpp: add}}\n', to: '\n', at: `${PROGRAM}:7`, says: /no page shows "add"; add \{\{code first\.cpp: add\}\}/ });
fault('a claim that no page shows', { file: PAGE, from: '{{claim first.cpp: the sum of "two" and two is four}}\n', to: '\n', at: [PROGRAM, 'TEST_CASE'], says: /no page shows "the sum/ });
fault('a left-out pattern without a reason', { file: 'book/left_out.json', from: ', "why": "documentation, shown in the reference"', to: '', at: 'book/left_out.json', says: /has no "why"/ });

// --- bug reports ---

fault('reports that are no JSON', { file: REPORTS, from: '[\n', to: '\n', at: REPORTS, says: /cannot be read/ });
fault('a report without what was said', { file: REPORTS, from: '"said": "two and two came out as four"', to: '"said": ""', at: [REPORTS, '"A2"'], says: /row A2 lacks what was said \(a text\), or threads/ });
fault('reports that are no list', { file: REPORTS, from: '[\n  {"row": "A1", "said": "two and two came out as `22`", "threads": ["someone/sums#4"]},', to: '{"a": [\n', also: { file: REPORTS, from: '\n]\n', to: '\n]}\n' }, at: REPORTS, says: /is no list of rows/ });
fault('a report that is no row', { file: REPORTS, from: '[\n', to: '[\n  5,\n', at: `${REPORTS}:3`, says: /holds something that is no row/ });
fault('a report whose threads are no list', { file: REPORTS, from: '["someone/sums#4"]', to: '"someone/sums#4"', at: [REPORTS, '"A1"'], says: /row A1 lacks what was said \(a text\), or threads \(a list\)/ });
fault('a thread that is no address', { file: REPORTS, from: '"someone/sums#4"', to: '"javascript:alert(1)"', at: [REPORTS, '"A1"'], says: /row A1 has a thread "javascript:alert\(1\)"; write owner\/project#12/ });
fault('a report with a key that is none', { file: REPORTS, from: '"verdict"', to: '"vredict"', at: [REPORTS, '"A2"'], says: /row A2 has a key "vredict"/ });
fault('a report with a case and no check', { file: REPORTS, from: ', "check": "first.cpp: the sum of \\"two\\" and two is four"', to: '', at: [REPORTS, '"A3"'], says: /row A3 has a case or a check, and not the other/ });
fault('a report that is named by no letter', { file: REPORTS, from: '"A2"', to: '"2"', at: [REPORTS, '"2"'], says: /"2" is no row; name it by a letter and a number/ });
fault('a report of another verdict', { file: REPORTS, from: '"no bug"', to: '"maybe"', at: [REPORTS, '"A2"'], says: /the verdict "maybe" of row A2 is none; write bug or no bug/ });
fault('two reports of one name', { file: REPORTS, from: '"A2"', to: '"A3"', at: `${REPORTS}:4`, says: /a second row A3/ });
fault('a report that no case shows', { file: FAKE, from: 'A1 | print | caught | add\n', to: '', at: [REPORTS, '"A1"'], says: /row A1 has no case; let a case of the gallery report it/ });
fault('a bug that its check does not catch', { file: FAKE, from: 'print | caught', to: 'print | passed', at: [REPORTS, '"A1"'], says: /"add" does not catch print, the case of row A1/ });
fault('no bug, and a check that fails', { file: FAKE, from: 'print | passed', to: 'print | caught', at: [REPORTS, '"A2"'], says: /row A2 is no bug, but the check "add" fails for print/ });
fault('a case that is no part', { file: FAKE, from: 'A1 | print', to: 'A1 | prunt', at: [REPORTS, '"A1"'], says: /the case "prunt" of row A1 is no part of the sources; there are print/ });
fault('a check that is no part', { file: FAKE, from: 'caught | add', to: 'caught | odd', at: [REPORTS, '"A1"'], says: /the check "odd" of row A1 is no part/ });
fault('a printed row that is not in the list', { file: FAKE, from: 'A1 | print', to: 'Z9 | print', at: [CONTINUED, '{{bugs'], says: /printed "Z9 \| print \| caught \| add", which names no row/ });
fault('a claim that a report names and that is not there', { file: REPORTS, from: 'two is four"}', to: 'two is five"}', at: [REPORTS, '"A3"'], says: /the check "the sum of "two" and two is five" of row A3 is no part/ });
fault('a report in no table', { file: REPORTS, from: '"A3"', to: '"B3"', says: /no page shows row B3; add \{\{bugs program: B\}\}/ });
fault('a table of another program', { file: CONTINUED, from: 'bugs first', to: 'bugs second', says: /names no program or no rows/ });
fault('a table of no rows', { file: CONTINUED, from: 'first: A', to: 'first: C', says: /names no program or no rows/ });
fault('a program that knows no reports', { file: FAKE, from: '    --reports) what=reports', to: '    --reports) exit 1', at: [CONTINUED, '{{bugs'], says: /`first --reports` ended with status 1/ });
fault('a page of exercises that continues its chapter', { file: CONTINUED, from: '{{bugs first: A}}', to: '{{bugs first: A}}\n\n{{exercises}}', at: [CONTINUED, '{{exercises'], says: /lists the exercises of a chapter, and this page is none/ });

// --- values, claims, programs ---

fault('a value that no program wrote', { file: PAGE, from: 'says {{ch01.sum}}', to: 'says {{ch01.total}}', says: /writes no value "total"; it writes (?:sum, double|double, sum)/ });
fault('a value of a chapter that is not there', { file: PAGE, from: 'says {{ch01.sum}}', to: 'says {{ch07.sum}}', says: /no program of chapter 7 is built; the chapters are 1/ });
fault('a value inside math that no program wrote', { file: PAGE, from: '2 = {{ch01.sum}}$', to: '2 = {{ch01.total}}$', says: /writes no value "total"/ });
fault('an unknown claim', { file: PAGE, from: 'and two is four}}', to: 'and two is five}}', says: /no test case "the sum of "two" and two is five"/ });
fault('a claim that failed', { file: FAKE, from: 'failures="0"', to: 'failures="1"', at: [PROGRAM, 'TEST_CASE'], says: /the claim ".*" failed/ });
fault('a claim that checked nothing', { file: FAKE, from: 'successes="1204"', to: 'successes="0"', at: [PAGE, '{{claim'], says: /checked nothing/ });
fault('a claim that the run left out', { file: FAKE, from: 'TestCase name="the sum', to: 'TestCase name="a sum', at: [PAGE, '{{claim'], says: /left out "the sum/ });
fault('a test report that breaks off', { file: FAKE, from: '</doctest>', to: '', at: `${PROGRAM}:1`, says: /stopped before its report ended/ });
fault('a program that fails', { file: FAKE, from: 'printf', to: 'echo "first: out of numbers; add some" >&2; exit 3; printf', at: `${PROGRAM}:1`, says: /`first` ended with status 3, saying "first: out of numbers; add some"/ });
fault('values that are no JSON', { file: FAKE, from: '{"sum"', to: '"sum"', at: `${PROGRAM}:1`, says: /wrote no valid JSON/ });

// --- pages, sections, links ---

fault('an unknown page', { file: PAGE, from: '(#the-code)', to: '(99_nowhere.md)', says: /no page 99_nowhere\.md/ });
fault('an unknown section', { file: PAGE, from: '(#the-code)', to: '(#the-cod)', says: /first\.md has no section #the-cod; it has .*#the-code/ });
fault('an unknown section of another page', { file: FRONT, from: '#exercise-1-1', to: '#exercise-9-9', says: /has no section #exercise-9-9/ });
fault('a broken link in the finished pages', { file: PAGE, from: '(#the-code)', to: '(nowhere.html)', says: /no file "nowhere\.html"/ });
fault('a broken anchor in the finished pages', { file: PAGE, from: '(#the-code)', to: '(index.html#nowhere)', says: /no anchor "#nowhere" in index\.html/ });
fault('a page without a title', { file: PAGE, from: '# First things\n', to: 'First things\n', says: /starts with `# Title`/ });
fault('a second title', { file: PAGE, from: '## The sum', to: '# The sum', at: `${PAGE}:5`, says: /one `# Title`/ });
fault('a heading level left out', { file: PAGE, from: '### Finer', to: '#### Finer', says: /level 4 follows one of level 2/ });

// --- terms ---

fault('a term that the glossary does not have', { file: PAGE, from: '[[quantity]]', to: '[[quality]]', says: /no entry "quality" in the glossary; it has quantity, / });
fault('a term in another form', { file: PAGE, from: '[[quantities added|sum]]', to: '[[quantities added]]', says: /no entry "quantities added".* is written \[\[words\|entry\]\]/ });
fault('a term marked twice for one reader', { file: PAGE, from: '- two with', to: '- two [[Quantities]] with', says: /\[\[Quantities\]\] is marked for the same reader at line \d+ already/ });
fault('a term marked for readers of every depth, and again', { file: FRONT, from: 'exercise-1-1).', to: 'exercise-1-1).\n\n::: beginner\nOne [[sum]].\n:::', at: [FRONT, 'One [[sum]]'], says: /same reader at line 3 already/ });
fault('a term marked in a heading', { file: CONTINUED, from: '## Reports', to: '## Reports on [[sums]]', says: /\[\[sums\]\] stands in a heading, a title, a caption or an exercise/ });
fault('a term marked in a caption', { file: PAGE, from: 'Two bars, $a$', to: 'Two [[sums]], $a$', says: /stands in a heading, a title, a caption or an exercise/ });
fault('a term marked in an exercise, which a terminal shows, too', { file: EXERCISE, from: 'Then say why', to: 'Then say why of the [[sum]]', at: `${EXERCISE}:10`, says: /\[\[sum\]\] stands in a heading, a title, a caption or an exercise/ });
fault('an entry twice', { file: GLOSSARY, from: '**Sum.**', to: '**Quantity.** Again.\n\n**Sum.**', says: /the glossary has "Quantity" already, at line 5; keep one/ });
fault('an entry that another one includes', { file: GLOSSARY, from: '**Sum.**', to: '**Double.** Twice.\n\n**Sum.**', at: [GLOSSARY, '**Sum.**'], says: /the glossary has "double" already, at line 7/ });

// --- figures, outputs, exercises, citations ---

fault('an unknown figure', { file: PAGE, from: 'first: bars', to: 'first: circles', says: /no figure is called that/ });
fault('a figure without a caption', { file: PAGE, from: ' | Two bars, $a$ and $b$, from [the code](#the-code).', to: '', at: [PAGE, '{{figure first'], says: /write \{\{figure program: name \| Caption\}\}/ });
fault('a figure without a title', { file: FAKE, from: '<title>Two bars</title>', to: '', at: [PAGE, '{{figure'], says: /no text alternative/ });
fault('a figure with an empty description', { file: FAKE, from: '<desc>The first bar is half as long as the second.</desc>', to: '<desc> </desc>', at: [PAGE, '{{figure'], says: /no text alternative/ });
fault('a figure without a size', { file: FAKE, from: ' viewBox="0 0 200 80"', to: '', at: [PAGE, '{{figure'], says: /has no size/ });
fault('a figure that loads something', { file: FAKE, from: '<rect x="10" y="10"', to: '<image href="https://example.org/a.png"/><rect x="10" y="10"', at: [PAGE, '{{figure'], says: /link to another file/ });
fault('an unknown program', { file: PAGE, from: '{{output first: The sum}}', to: '{{output second: The sum}}', says: /no program is called second; the programs are first/ });
fault('an unknown part of the output', { file: PAGE, from: '{{output first: The sum}}', to: '{{output first: The product}}', says: /has no part "The product"; it has The end, The sum/ });
fault('an output folded under no title', { file: PAGE, from: '{{output first: The sum}}', to: '{{output first: The sum | folded}}', says: /is not understood; write \{\{output program --options: Heading\}\} or/ });
fault('an empty part of the output', { file: FAKE, from: '2 + $by = $((2 + by))', to: '', at: [PAGE, '{{output first: The sum}}'], says: /"The sum" of first's output is empty/ });
fault('an option that the program refuses', { file: FAKE, from: '    --by) by=$2', to: '    --by) exit 1', at: [PAGE, '--by 3: The sum'], says: /`first --by 3` ended with status 1/ });
fault('an unknown exercise', { file: PAGE, from: '{{exercise 1.1}}', to: '{{exercise 1.2}}', says: /no exercise 1\.2; there are 1\.1/ });
fault('an exercise that no page shows', { file: PAGE, from: '{{exercise 1.1}}\n', to: '\n', at: `${EXERCISE}:1`, says: /no page shows exercise 1\.1/ });
fault('an exercise with a wrong number', { file: EXERCISE, from: 'Exercise 1.1', to: 'Exercise 1.2', at: `${EXERCISE}:1`, says: /must read "\/\/ Exercise 1\.1:/ });
fault('an exercise of an unknown kind', { file: EXERCISE, from: 'kind: predict', to: 'kind: guess', at: `${EXERCISE}:2`, says: /one of predict, implement/ });
fault('an exercise without a difficulty', { file: EXERCISE, from: 'difficulty: 2', to: 'difficulty: 4', at: `${EXERCISE}:3`, says: /with 1, 2 or 3/ });
fault('an exercise of no section', { file: EXERCISE, from: '// section: finer-points\n', to: '', at: `${EXERCISE}:1`, says: /must have a line "\/\/ section: \.\.\."/ });
fault('an exercise of an unknown section', { file: EXERCISE, from: 'finer-points', to: 'rougher-points', at: `${EXERCISE}:4`, says: /the page has no section "rougher-points"; it has .*finer-points/ });
fault('an exercise in another section than it names', { file: EXERCISE, from: 'finer-points', to: 'the-sum', at: [PAGE, '{{exercise 1.1}}'], says: /exercise 1\.1 stands in #finer-points, but chapters\/01_first\/exercises\/1_three\.cpp:4 names #the-sum; move the line/ });
fault('an exercise before its section', { file: PAGE, from: '## What it looks like', to: '{{exercise 1.1}}\n\n## What it looks like', also: { file: PAGE, from: '### Finer points\n\n{{exercise 1.1}}', to: '### Finer points' }, says: /exercise 1\.1 stands in #the-code, but .* names #finer-points/ });
fault('an exercise before the first section', { file: PAGE, from: '## The sum\n', to: '{{exercise 1.1}}\n\n## The sum\n', also: { file: PAGE, from: '### Finer points\n\n{{exercise 1.1}}', to: '### Finer points' }, says: /exercise 1\.1 stands in no section, but .* names #finer-points/ });
fault('an exercise that one depth alone would see', { file: PAGE, from: '### Finer points\n\n{{exercise 1.1}}\n', to: '### Finer points\n\n::: beginner\n{{exercise 1.1}}\n:::\n', at: [PAGE, '{{exercise 1.1}}'], says: /exercise 1\.1 stands in a beginner block, .*; move the line behind the block/ });
fault('an exercise on a page that is no chapter', { file: 'book/90_bibliography.md', from: 'Where it comes from.', to: '{{exercise 1.1}}', also: { file: PAGE, from: '{{exercise 1.1}}\n', to: '' }, says: /exercise 1\.1 belongs to chapter 1; move the line to that chapter's page/ });
fault('exercises that the chapter does not list', { file: PAGE, from: '{{exercises}}', to: 'None.', at: [PAGE, '{{exercise 1.1}}'], says: /has exercises but no list of them; put \{\{exercises\}\} alone on a line/ });
fault('exercises that the chapter lists twice', { file: PAGE, from: '{{exercises}}', to: '{{exercises}}\n\n{{exercises}}', at: `${PAGE}:68`, says: /already listed at book\/01_first\.md:66; keep one/ });
fault('a list of exercises on a page that is no chapter', { file: SOLUTIONS, from: '{{solution 1.1}}', to: '{{solution 1.1}}\n\n{{exercises}}', at: `${SOLUTIONS}:5`, says: /lists the exercises of a chapter, and this page is none/ });
fault('a list of exercises in one depth alone', { file: PAGE, from: '{{exercises}}', to: '::: developer\n{{exercises}}\n:::', at: [PAGE, '{{exercises}}'], says: /stands in a developer block/ });
fault('a list of exercises that is asked for another chapter', { file: PAGE, from: '{{exercises}}', to: '{{exercises 2}}', says: /\{\{exercises 2\}\} is not understood; write \{\{exercises\}\} alone/ });
fault('an exercise without a hint', { file: EXERCISE, from: '// hint: Count on your fingers. Two hands\n//   are enough for $3 + 3$.\n', to: '', at: `${EXERCISE}:1`, says: /has no hint/ });
fault('a directive in an exercise', { file: EXERCISE, from: '// Then say why.', to: '// {{output first: The sum}}', says: /holds only prose, math and code/ });
fault('an exercise that two places show', { file: PAGE, from: '{{exercise 1.1}}', to: '{{exercise 1.1}}\n\nAgain:\n\n{{exercise 1.1}}', at: `${PAGE}:66`, says: /exercise 1\.1 is already shown at book\/01_first\.md:62/ });

// --- answers ---

fault('a predict exercise without an answer', { file: EXERCISE, from: '// answer: ch01.double within 0.5\n', to: '', at: `${EXERCISE}:1`, says: /must have a line "\/\/ answer: / });
fault('an answer without a tolerance', { file: EXERCISE, from: ' within 0.5', to: '', at: `${EXERCISE}:6`, says: /must have a line "\/\/ answer: / });
fault('an answer that is typed', { file: EXERCISE, from: 'ch01.double within', to: '6 within', says: /must have a line "\/\/ answer: / });
fault('an answer that no program wrote', { file: EXERCISE, from: 'ch01.double', to: 'ch01.triple', says: /writes no value "triple"/, also: { file: CHECK, from: 'ch01.double', to: 'ch01.triple' } });
fault('an answer of a chapter that is not there', { file: EXERCISE, from: 'ch01.double', to: 'ch07.double', says: /no program of chapter 7 is built/ });
fault('an answer that is no number', { file: FAKE, from: '"number": 6', to: '"number": null', at: `${EXERCISE}:6`, says: /"double" is no finite number/ });
fault('an answer to an exercise of another kind', { file: EXERCISE, from: 'kind: predict', to: 'kind: implement', at: `${EXERCISE}:6`, says: /only a predict exercise has an answer/ });
fault('a check that reads another value than the page', { file: CHECK, from: 'ch01.double', to: 'ch01.sum', at: `${EXERCISE}:6`, says: /checks\/1_three\.cpp does not read "double"/ });

// --- wrong answers ---

const notUnderstood = /is not understood; write "wrong: 20 \| text"/;
fault('a wrong answer without a text', { file: CHECK, from: ' | That is 2 + 2.', to: '', at: `${CHECK}:1`, says: notUnderstood });
fault('a wrong answer that is no number', { file: CHECK, from: '33 within', to: 'many within', says: notUnderstood });
fault('a wrong answer that is calculated', { file: CHECK, from: 'ch01.sum', to: '2 + 2', says: notUnderstood });
fault('a wrong answer without a tolerance behind within', { file: CHECK, from: ' 0.5 |', to: ' |', at: `${CHECK}:2`, says: notUnderstood });
fault('a wrong answer that no program wrote', { file: CHECK, from: 'ch01.sum', to: 'ch01.some', says: /writes no value "some"/ });
fault('the right answer among the wrong ones', { file: CHECK, from: '33 within 0.5', to: '6.4 within 0.5', says: /the right answer is among these numbers/ });
fault('wrong answers without end that hold the right one', { file: CHECK, from: 'from 10', to: 'from 5', says: /the right answer is among these numbers/ });
fault('a wrong answer that an earlier line answers', { file: CHECK, from: 'ch01.sum', to: 'other', at: `${CHECK}:2`, says: /line 1 answers these numbers already/ });
fault('wrong answers that the check does not tell', { file: CHECK, from: 'mha::likely_thought', to: 'mha::some_thought', at: `${CHECK}:1`, says: /the check does not say this/ });
fault('wrong answers to an exercise of another kind', { file: EXERCISE, from: 'kind: predict', to: 'kind: implement', at: `${CHECK}:1`, says: /only a predict exercise has wrong answers/ });

// --- solutions ---

fault('a solution that no page shows', { file: SOLUTIONS, from: '{{solution 1.1}}', to: 'None.', at: `${SOLUTION}:1`, says: /no page shows solution 1\.1; add \{\{solution 1\.1\}\}/ });
fault('a solution that a page shows twice', { file: SOLUTIONS, from: '{{solution 1.1}}', to: '{{solution 1.1}}\n\n{{solution 1.1}}', at: `${SOLUTIONS}:5`, says: /solution 1\.1 is already shown at book\/91_solutions\.md:3/ });
fault('a solution of no exercise', { file: SOLUTIONS, from: '{{solution 1.1}}', to: '{{solution 1.2}}', says: /no exercise 1\.2 to solve; there are 1\.1/ });
fault('a solution in a chapter', { file: PAGE, from: 'Now the printing.', to: '{{solution 1.1}}', at: `${PAGE}:21`, says: /a solution in the text spoils its exercise/ });
fault('a solution of another name', { file: SOLUTION, from: 'Three and three', to: 'Three and four', at: `${SOLUTION}:1`, says: /must read "\/\/ Solution 1\.1: Three and three"/ });
fault('a solution that does not explain itself', { file: SOLUTION, from: '// Two hands have $5 + 5$ fingers, and `3 + 3` takes six.\n', to: '', at: `${SOLUTION}:1`, says: /does not explain itself/ });
fault('a TeX error in a solution', { file: SOLUTION, from: '$5 + 5$', to: '$5 + \\oops$', at: `${SOLUTION}:3`, says: /Undefined control sequence \\oops/ });
fault('a solution that a part gives away', { file: PROGRAM, from: '  if (true) {', to: '  int sum = 3;   // like the solution\n\n  for (int i = 0; i < 3; ++i)  sum += 1;\n  if (true) {', at: [PAGE, '{{code first.cpp: print'], says: /shows what solution 1\.1 holds from line 7 on/, also: { file: SOLUTION, from: 'return sum;', to: 'if (true) {\n    sum += 0;\n  }' } });
fault('a solution that the prose gives away', { file: PAGE, from: 'import torch\nprint("a $ sign")', to: 'int three() {\n  int sum = 3;\n  for (int i = 0; i < 3; ++i) sum += 1;', at: [PAGE, '```python'], says: /shows what solution 1\.1 holds from line 6 on/ });

fault('an unknown citation', { file: PAGE, from: '@shazeer2019]', to: '@shazer2019]', says: /no entry shazer2019 .*nearest: shazeer2019/ });
fault('a source that nobody cites', { file: PAGE, from: '[@knuth1984; @shazeer2019]', to: '[@knuth1984]', at: ['book/book.bib', 'shazeer2019'], says: /no page cites shazeer2019/ });
fault('a source without a year', { file: 'book/book.bib', from: '  year = {1984},\n', to: '', at: ['book/book.bib', 'knuth1984'], says: /lacks year/ });
fault('a source that cannot be found', { file: 'book/book.bib', from: '  url = {https://www-cs-faculty.stanford.edu/~knuth/abcde.html}\n', to: '', at: ['book/book.bib', 'knuth1984'], says: /lacks a place where it can be found/ });
fault('a bibliography file that cannot be read', { file: 'book/book.bib', from: '  year = {2019},', to: '  year = {2019', at: 'book/book.bib:16', says: /BibTeX: token mismatch/ });
fault('a TeX command in a title', { file: 'book/book.bib', from: 'The {TeX}book', to: 'The {\\TeX}book', says: /\\TeX would be lost/ });
fault('citations without a bibliography', { file: 'book/90_bibliography.md', from: '{{bibliography}}', to: 'None.', at: 'book/book.bib', says: /no page shows it/ });

// --- math ---

fault('a TeX error', { file: PAGE, from: '\\frac{x}{2}', to: '\\frac{x', at: `${PAGE}:10`, says: /TeX: / });
fault('an undefined TeX command', { file: PAGE, from: 'half of $x$ is $\\half{x}$', to: 'half of $x$ is $\\haff{x}$', at: [PAGE, 'haff'], says: /Undefined control sequence \\haff/ });
fault('a TeX error in an exercise', { file: EXERCISE, from: 'what $3 + 3$', to: 'what $3 + \\oops$', says: /Undefined control sequence \\oops/ });
fault('a $ without its pair', { file: PAGE, from: 'a price is \\$5', to: 'a price is $5', at: [PAGE, 'price'], says: /\$ without its pair/ });
fault('a formula that never ends', { file: PAGE, from: '\\label{eq:half}\n$$', to: '\\label{eq:half}\n', at: `${PAGE}:10`, says: /\$\$ whose formula never ends/ });
fault('an unknown equation', { file: PAGE, from: '\\eqref{eq:half}', to: '\\eqref{eq:third}', says: /no equation has \\label\{eq:third\}; there are eq:half/ });
fault('a label of another shape', { file: PAGE, from: '\\label{eq:half}', to: '\\label{half}', at: `${PAGE}:10`, says: /no equation name/ });

// --- what is not understood ---

fault('a line that is not understood', { file: PAGE, from: '{{code tiny.hpp: twice}}', to: '{{code tiny.hpp}}', says: /is not understood; write \{\{code file\.cpp: part\}\}/ });
fault('an unknown word in braces', { file: PAGE, from: '{{code tiny.hpp: twice}}', to: '{{listing tiny.hpp: twice}}', says: /is no value and no known line/ });
fault('a line that is not alone', { file: PAGE, from: '{{exercise 1.1}}', to: '{{exercise 1.1}} and more', says: /not alone on its line/ });
fault('an unknown depth', { file: PAGE, from: '::: developer', to: '::: expert', says: /no depth is called "expert"/ });
fault('a depth inside a depth', { file: PAGE, from: 'Now the printing.', to: '::: researcher', at: `${PAGE}:21`, says: /researcher block inside a developer block/ });
fault('a depth that never ends', { file: PAGE, from: '```\n\n:::', to: '```\n', at: [PAGE, '::: researcher'], says: /the researcher block never ends/ });
fault('a depth that never began', { file: PAGE, from: '::: researcher', to: 'So:', at: `${PAGE}:54`, says: /was never opened/ });

// --- Doxygen ---

fault('a Doxygen warning', { file: PAGE, from: 'What is "two and two"', to: 'What is \\undefinedcommand two', says: /Doxygen: .*undefinedcommand/ });
fault('a public function with an undocumented parameter', { file: LIBRARY, from: '/// \\param x  the number\n', to: '', at: `${LIBRARY}:8`, says: /Doxygen: parameters of member mha::twice are not documented/ });
fault('a public function without documentation', { file: LIBRARY, from: '// [twice]\n\n}', to: 'inline int thrice(int x) { return 3 * x; }\n// [twice]\n\n}', says: /Doxygen: .*thrice.*not documented/ });
fault('a documented parameter that is not there', { file: LIBRARY, from: '\\param x  the', to: '\\param y  the', says: /Doxygen: / });

// --- what the weave is given ---

test('a program that is not built', async () => {
  const book = copyBook();
  fs.rmSync(path.join(book.root, FAKE));
  const lines = await complaints(book);
  assert.match(lines[0], /programs\.json: the program first is not built .*; build it first/);
  book.remove();
});

test('a missing list of programs', async () => {
  const book = copyBook();
  fs.rmSync(book.programs);
  const lines = await complaints(book);
  assert.match(lines[0], /no list of programs there; build the programs first/);
  book.remove();
});

test('a claim in a file that no program runs', async () => {
  const book = copyBook();
  edit(book, LIBRARY, '}  // namespace', 'TEST_CASE("never run") {\n}\n\n}  // namespace');
  edit(book, PAGE, '{{exercise 1.1}}', '{{exercise 1.1}}\n\n{{claim tiny.hpp: never run}}');
  assert.match((await complaints(book)).join('\n'), /01_first\.md:64: src\/mha\/tiny\.hpp belongs to no chapter program/);
  book.remove();
});

test('an exercise without a solution, and a solution without an exercise', async () => {
  const book = copyBook();
  fs.renameSync(path.join(book.root, SOLUTION), path.join(book.root, SOLUTION.replace('1_three', '2_four')));
  const lines = await complaints(book);
  assert.match(lines[0], /exercises\/1_three\.cpp:1: exercise 1\.1 has no solution; write chapters\/01_first\/solutions\/1_three\.cpp/);
  assert.match(lines[1], /solutions\/2_four\.cpp:1: solves no exercise/);
  book.remove();
});

test('a predict exercise without a check', async () => {
  const book = copyBook();
  fs.rmSync(path.join(book.root, CHECK));
  assert.match((await complaints(book)).join('\n'), /exercises\/1_three\.cpp:6: chapters\/01_first\/checks\/1_three\.cpp does not read "double"/);
  book.remove();
});

test('a list of exercises in a chapter that has none', async () => {
  const book = copyBook();
  book.write('book/02_second.md', '# Second things\n\n## Exercises\n\n{{exercises}}\n');
  assert.match((await complaints(book)).join('\n'), /02_second\.md:5: chapter 2 has no exercise to list; write one, or remove the line/);
  book.remove();
});

test('an exercise in a section of that name in another chapter', async () => {
  const book = copyBook();
  book.write('book/02_second.md', '# Second things\n\n## Finer points\n\n{{exercise 1.1}}\n');
  edit(book, PAGE, '{{exercise 1.1}}\n', '');
  assert.match((await complaints(book)).join('\n'), /02_second\.md:5: exercise 1\.1 belongs to chapter 1; move the line/);
  book.remove();
});

test('a page with a name of another shape', async () => {
  const book = copyBook();
  book.write('book/notes.md', '# Notes\n');
  assert.match((await complaints(book)).join('\n'), /book\/notes\.md: is no page name; call it NN_name\.md/);
  book.remove();
});

fault('a section that is empty at a depth at which its heading shows', {
  file: CONTINUED, from: '## Reports', to: '## For some\n\n::: developer\nOnly here.\n:::\n\n## Reports', says: /the section "For some" has nothing for beginner and researcher; put its heading inside the block/,
});

fault('a section that has nothing at all', {
  file: CONTINUED, from: '## Reports', to: '## Nothing\n\n## Reports', says: /the section "Nothing" has nothing for beginner and developer and researcher/,
});
