import type { Schema } from '../../api/client.ts';

export type EmailPreview = Schema<'EmailPreview'>;
export type MessagePart = 'subject' | 'body';

/** The parts that are empty because they can't be rendered. */
export function brokenParts({ problems }: EmailPreview): MessagePart[] {
  // An email that exceeds a limit is not rendered at all.
  if (problems.some(({ code }) => code === 'render_limit')) return ['subject', 'body'];
  return (['subject', 'body'] as const).filter((part) =>
    problems.some(({ code, field }) => code === 'invalid_liquid' && field === part),
  );
}

/** The latest email, with parts that fail to render taken from `good`. */
export function withLastGood(latest: EmailPreview, good: EmailPreview | undefined): EmailPreview {
  const broken = brokenParts(latest);
  if (good === undefined || broken.length === 0) return latest;
  const { subject, html, text, sizeBytes } = good;
  return {
    ...latest,
    ...(broken.includes('subject') && { subject }),
    ...(broken.includes('body') && { html, text, sizeBytes }),
  };
}
