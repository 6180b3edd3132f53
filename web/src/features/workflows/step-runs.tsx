import type { Schema } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Time } from '../../ui/time.tsx';
import { ExecutionBadge } from './execution-badge.tsx';
import { isUnderWay } from './execution-status.ts';
import { branchWords } from './graph/graph.ts';
import { stepTypes } from './step-types.ts';

type Execution = Schema<'WorkflowExecutionWithSteps'>;
type StepRun = Execution['steps'][number];

/** Executed steps in order, with their results. */
export function StepRuns({ execution }: { execution: Execution }) {
  const { steps, status } = execution;
  if (steps.length === 0) {
    return (
      <p className="text-muted">
        {isUnderWay(status) ? 'The first step begins in a moment.' : 'It ended before its first step.'}
      </p>
    );
  }
  const isCut = (steps[0]?.visit ?? 1) > 1;
  return (
    <>
      {isCut && <p className="text-sm text-muted">The latest {steps.length} steps of a long loop.</p>}
      <ol className="flex flex-col">
        {steps.map((run) => (
          <Run key={run.visit} run={run} status={status} />
        ))}
      </ol>
    </>
  );
}

/** @param status of the execution, which a cancel ends without ending the step */
function Run({ run, status }: { run: StepRun; status: Execution['status'] }) {
  const { visit, stepId, type, name, branch, output, error, startedAt, completedAt } = run;
  const Icon = type && stepTypes[type].icon;
  return (
    <li data-step={stepId} className="flex gap-3 border-b border-line py-2.5">
      <span data-numeric className="w-6 shrink-0 text-right text-sm text-faint">
        {visit}
      </span>
      {Icon && <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 font-medium">{name ?? 'Deleted step'}</span>
          {type && <span className="text-sm text-muted">{stepTypes[type].title}</span>}
          {branch !== null && <Badge tone="accent">{branchText(branch)}</Badge>}
          {completedAt === null &&
            error === null &&
            (isUnderWay(status) ? <Badge tone="warn">Under way</Badge> : <ExecutionBadge status={status} />)}
          <span className="ml-auto text-sm text-muted">
            <Time at={startedAt} form="exact" />
          </span>
        </div>
        {error !== null && <p className="text-sm text-bad">{error}</p>}
        {output !== null && Object.keys(output).length > 0 && (
          <details>
            <summary className="cursor-pointer text-sm text-muted">Output</summary>
            <div className="mt-2">
              <CodeBlock label={`Output of ${name ?? 'the step'}`} code={JSON.stringify(output, null, 2)} />
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

const isBranch = (text: string): text is keyof typeof branchWords => text in branchWords;
const branchText = (branch: string): string => (isBranch(branch) ? branchWords[branch] : branch);
