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
