export type Level = 'ok' | 'warning' | 'error';

export interface Finding {
  area: string;
  level: Level;
  text: string;
  remedy?: string;
}

export function reporter(area: string) {
  return {
    ok: (text: string): Finding => ({ area, level: 'ok', text }),
    warning: (text: string, remedy: string): Finding => ({ area, level: 'warning', text, remedy }),
    error: (text: string, remedy: string): Finding => ({ area, level: 'error', text, remedy }),
  };
}

/** The findings, without the false ones, or `fine` when there are none. */
export function foundOr(fine: Finding, found: readonly (Finding | false)[]): Finding[] {
  const findings = found.filter((one) => one !== false);
  return findings.length > 0 ? findings : [fine];
}

export function worstLevel(findings: readonly Finding[]): Level {
  if (findings.some(({ level }) => level === 'error')) return 'error';
  return findings.some(({ level }) => level === 'warning') ? 'warning' : 'ok';
}

const marks = { ok: '✓', warning: '!', error: '✗' } as const;
const verdicts = {
  ok: 'Everything is fine.',
  warning: 'Nothing is broken; look at the lines with "!".',
  error: 'Something is wrong; see the lines with "✗".',
} as const;

export function presentFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ area }) => area.length));
  const indent = ' '.repeat(width + 4);
  const lines = findings.flatMap(({ area, level, text, remedy }) => [
    `${marks[level]} ${area.padEnd(width)}  ${text}`,
    ...(remedy === undefined ? [] : remedy.split('\n').map((line) => `${indent}→ ${line}`)),
  ]);
  return [...lines, '', verdicts[worstLevel(findings)], ''].join('\n');
}

export function presentAge(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export function presentBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? '';
}
