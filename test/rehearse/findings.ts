/** One line of the table. It holds if nothing is missing and nothing exists too often. */
export interface Finding {
  what: string;
  /** The number that was accepted, or that one side has. */
  accepted: number;
  found: number;
  missing: number;
  /** Found more than once, without a reason. */
  twice: number;
  /** Emails whose hand-over was recorded as UNKNOWN. */
  unknown?: number;
  /** How many of these left twice, which decision 5 allows for transactional email. */
  unknownTwice?: number;
  /** The client got no answer, so the record may exist once or not at all. */
  inDoubt?: number;
  /** A few of the wrong ones. */
  examples?: string[];
}

export const holds = ({ missing, twice }: Finding) => missing === 0 && twice === 0;

/** Compares two figures that must be equal: a lower found figure counts as missing, a higher one as twice. */
export const compare = (what: string, accepted: number, found: number): Finding => ({
  what,
  accepted,
  found,
  missing: Math.max(0, accepted - found),
  twice: Math.max(0, found - accepted),
});

const columns: [string, (finding: Finding) => string | number | undefined][] = [
  ['', ({ what }) => what],
  ['accepted', ({ accepted }) => accepted],
  ['found', ({ found }) => found],
  ['missing', ({ missing }) => missing],
  ['twice', ({ twice }) => twice],
  ['unknown', ({ unknown }) => unknown],
  ['of them twice', ({ unknownTwice }) => unknownTwice],
  ['in doubt', ({ inDoubt }) => inDoubt],
  ['', (finding) => (holds(finding) ? 'holds' : 'BROKEN')],
];

export function presentFindings(findings: readonly Finding[]): string {
  const cells = [
    columns.map(([title]) => title),
    ...findings.map((finding) =>
      columns.map(([, value]) => {
        const shown = value(finding) ?? '';
        return typeof shown === 'number' ? shown.toLocaleString('en-US') : shown;
      }),
    ),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const examples = findings.flatMap(({ what, examples = [] }) => examples.map((one) => `${what}: ${one}`));
  return [...lines, ...examples].join('\n');
}
