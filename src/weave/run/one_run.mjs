// One run of a program that was compiled for the page. The worker gets this
// function as text, so it names nothing from outside.

/**
 * Runs a fresh program, which begins with nothing but its `files`, in /data. In
 * `args` null stands for a file that it writes. Gives its exit status and what it
 * wrote; `say` and `complain` get its lines as they come.
 */
export async function oneRun(create, files, args, say, complain) {
  const place = '/written';
  const program = await create({ print: say, printErr: complain, quit: (_, unwind) => { throw unwind; } });
  if (files.length) program.FS.mkdir('/data');
  for (const { file, bytes } of files) program.FS.writeFile(`/data/${file}`, bytes);
  const status = program.callMain(args.map((arg) => (arg === null ? place : arg)));
  const wrote = status === 0 && args.includes(null);
  return { status, written: wrote ? program.FS.readFile(place, { encoding: 'utf8' }) : undefined };
}
