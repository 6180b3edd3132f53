import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { OutsideLink } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Time } from '../../ui/time.tsx';

export function ExecutionFacts({ execution }: { execution: Schema<'WorkflowExecutionWithSteps'> }) {
  const {
    contactId,
    contactEmail,
    temporalUrl,
    startedAt,
    completedAt,
    resumeAt,
    exitReason,
    error,
    version,
  } = execution;
  return (
    <div className="flex flex-col gap-4">
      {error !== null && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
          {error}
        </p>
      )}
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        <Fact label="Contact">
          {contactId === null ? (
            <span className="text-faint">Deleted contact</span>
          ) : (
            <ContactLink contactId={contactId}>{contactEmail}</ContactLink>
          )}
        </Fact>
        <Fact label="Entered">
          <Time at={startedAt} />
        </Fact>
        {completedAt !== null && (
          <Fact label="Ended">
            <Time at={completedAt} />
          </Fact>
        )}
        {resumeAt !== null && completedAt === null && (
          <Fact label="Waits until">
            <Time at={resumeAt} form="exact" />
          </Fact>
        )}
        {exitReason !== null && <Fact label="Exit reason">{exitReason}</Fact>}
        <Fact label="Version">{version}</Fact>
        {temporalUrl !== null && (
          <Fact label="Run">
            <OutsideLink href={temporalUrl}>Open in Temporal</OutsideLink>
          </Fact>
        )}
      </dl>
      <div className="grid gap-4 sm:grid-cols-2">
        <Values label="Event data" values={execution.event} />
        <Values label="Context" values={execution.context} />
      </div>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Values({ label, values }: { label: string; values: Record<string, unknown> }) {
  if (Object.keys(values).length === 0) return null;
  return (
    <details>
      <summary className="cursor-pointer text-sm text-muted">{label}</summary>
      <div className="mt-2">
        <CodeBlock label={label} code={JSON.stringify(values, null, 2)} />
      </div>
    </details>
  );
}
