import { expect, test } from 'vitest';
import { folderCircles } from './folder-circles.ts';

const imports = (...arrows: string[]) =>
  arrows.map((arrow) => {
    const [from = '', to = ''] = arrow.split(' → ');
    return { from, to };
  });

test('finds a circle of top-level folders, even without a circle of files', () => {
  expect(
    folderCircles(imports('api/a.ts → core/x/b.ts', 'core/c.ts → db/d.ts', 'db/e.ts → api/y/f.ts')),
  ).toEqual([
    'Circle of folders in the repository:\n  api/a.ts → core/x/b.ts\n  core/c.ts → db/d.ts\n  db/e.ts → api/y/f.ts',
  ]);
});

test('finds a circle of subfolders, and one between a subfolder and the files of its parent', () => {
  const circles = folderCircles(
    imports(
      'core/a/1.ts → core/b/2.ts',
      'core/b/deep/3.ts → core/a/4.ts',
      'db/orm.ts → db/x/5.ts',
      'db/x/6.ts → db/sql.ts',
    ),
  );

  expect(circles).toHaveLength(2);
});

test.for([
  [['core/a/1.ts → core/b/2.ts', 'core/a/3.ts → core/c/4.ts', 'core/c/5.ts → core/b/6.ts']],
  [['core/a/1.ts → core/a/2.ts', 'core/a/2.ts → core/a/1.ts']],
] as const)('finds none in %o', ([arrows]) => {
  expect(folderCircles(imports(...arrows))).toEqual([]);
});
