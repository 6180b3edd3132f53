import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { startCsvFile } from './csv-file.ts';

it('ends for a client that has left, although the search finds no more rows', async () => {
  let reads = 0;
  const file = await startCsvFile((read) => read(), {
    header: ['n'],
    cellsOf: (n: number) => [n],
    positionOf: (n) => n,
    async find(after = 0) {
      reads += 1;
      if (reads > 1_000) throw new Error('It still searches');
      return { rows: [], scannedUntil: after + 1 };
    },
  });
  const stream = Readable.from(file);
  await new Promise((resolve) => stream.once('data', resolve));
  stream.destroy();
  await file.return(undefined);
  expect(reads).toBeLessThan(1_000);
});
