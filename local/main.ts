import { runLocalStack } from './run.ts';

await runLocalStack({
  environment: process.env,
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
});
