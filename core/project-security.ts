export interface SenderFigures {
  sent: number;
  bounced: number;
  complained: number;
}

export const securityLevels = ['healthy', 'warning', 'critical'] as const;
export type SecurityLevel = (typeof securityLevels)[number];

/** Percent of the emails sent, inclusive lower bounds. */
export const securityThresholds = {
  bounceRate: { warning: 5, critical: 10 },
  complaintRate: { warning: 0.1, critical: 0.15 },
} as const;

export const fewestEvaluatedEmails = 100;

export type SecurityVerdict = ReturnType<typeof evaluateSender>;

export function evaluateSender(figures: SenderFigures) {
  const bounceLevel = levelOf(figures.bounced, figures.sent, securityThresholds.bounceRate);
  const complaintLevel = levelOf(figures.complained, figures.sent, securityThresholds.complaintRate);
  return {
    bounceRate: percent(figures.bounced, figures.sent),
    complaintRate: percent(figures.complained, figures.sent),
    bounceLevel,
    complaintLevel,
    level: worse(bounceLevel, complaintLevel),
  };
}

function levelOf(
  count: number,
  sent: number,
  thresholds: { warning: number; critical: number },
): SecurityLevel {
  if (sent < fewestEvaluatedEmails) return 'healthy';
  // Both sides in hundred-thousandths, so that 15 of 10,000 is exactly 0.15 %.
  const reached = (threshold: number) => count * 100_000 >= sent * Math.round(threshold * 1_000);
  if (reached(thresholds.critical)) return 'critical';
  return reached(thresholds.warning) ? 'warning' : 'healthy';
}

function worse(one: SecurityLevel, other: SecurityLevel): SecurityLevel {
  return securityLevels.indexOf(one) > securityLevels.indexOf(other) ? one : other;
}

/** With three decimals; 0 of nothing. */
function percent(count: number, sent: number): number {
  return sent === 0 ? 0 : Math.round((count / sent) * 100_000) / 1_000;
}
