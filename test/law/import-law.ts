import { cruise, format, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { folderCircles } from './folder-circles.ts';

const isTest = (file: string) => /^test\/|\.test\.tsx?$|\/testing\//.test(file);

const { output } = await cruise(['.'], await extractOptions('./.dependency-cruiser.mjs'));
// as: without an output type, the result itself.
const result = output as ICruiseResult;
const report = await format(result, { outputType: 'err' });
console.log(report.output);

const imports = result.modules.flatMap(({ source: from, dependencies }) =>
  dependencies.map(({ resolved: to }) => ({ from, to })),
);
const circles = folderCircles(
  imports.filter(
    ({ from, to }) => ![from, to].some((file) => isTest(file) || file.includes('node_modules/')),
  ),
);
for (const circle of circles) console.error(circle);
process.exitCode = report.exitCode > 0 || circles.length > 0 ? 1 : 0;
