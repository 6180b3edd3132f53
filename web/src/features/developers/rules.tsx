import { Section } from '../../ui/page.tsx';

/** What a caller needs first; the introduction of the reference has more. */
export function Rules() {
  return (
    <div className="grid max-w-4xl gap-8 md:grid-cols-2">
      <Section title="Retry a request safely">
        <p className="text-muted">
          Send an <code className="text-xs text-ink">Idempotency-Key</code> of up to 255 characters with{' '}
          <code className="text-xs text-ink">POST /v1/send</code> and{' '}
          <code className="text-xs text-ink">POST /v1/track</code>: the id of the order, for example. A second
          request with the same key is refused with status 409, so nothing is sent twice. A key is remembered
          for 24 hours, unless this server is configured otherwise.
        </p>
      </Section>
      <Section title="Rate limit">
        <p className="text-muted">
          A project may make 1,000 requests a minute, unless this server is configured otherwise. Each answer
          says in <code className="text-xs text-ink">RateLimit-Remaining</code> how many are left. Beyond the
          limit requests are refused with status 429, and{' '}
          <code className="text-xs text-ink">Retry-After</code> says after how many seconds to go on.
        </p>
      </Section>
    </div>
  );
}
