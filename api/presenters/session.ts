import type { SessionAnswer } from '../schemas/answers/session.ts';
import type { ListedSession } from '../services/sessions.ts';

export function presentSession({ session, isCurrent }: ListedSession): SessionAnswer {
  return {
    id: session.id,
    browser: session.browser ?? null,
    system: session.system ?? null,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    current: isCurrent,
  };
}
