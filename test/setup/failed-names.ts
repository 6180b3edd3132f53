import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

const longestMessage = 160;

/** Repeats the names of failed tests at the end of the output, because logs are truncated at the beginning. */
export class FailedNames implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const name = module.relativeModuleId;
      printErrors(name, module.errors());
      for (const suite of module.children.allSuites())
        printErrors(`${name} > ${suite.fullName}`, suite.errors());
      for (const test of module.children.allTests('failed')) {
        printErrors(`${name} > ${test.fullName}`, test.result().errors ?? []);
      }
    }
  }
}

function printErrors(name: string, errors: readonly { message: string }[]): void {
  for (const error of errors) {
    const [message = ''] = stripVTControlCharacters(error.message).split('\n', 1);
    process.stdout.write(`failed: ${name}: ${message.slice(0, longestMessage)}\n`);
  }
}
