import { runLocalStack } from './run.ts';

/** `npm start`: the whole of Posthaste on this machine. */
await runLocalStack({
  environment: process.env,
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
});
