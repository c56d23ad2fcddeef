// The command line's entry: reads the arguments and runs the command they name.
declare const PARLEY_VERSION: string;

if (process.argv.includes('--version')) {
  console.log(PARLEY_VERSION);
}
