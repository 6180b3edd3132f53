import { Button as AriaButton } from 'react-aria-components/Button';
import type { Schema } from '../../api/client.ts';
import { quantity } from '../../ui/numbers.ts';
import { faultText, shownFaults } from './graph/graph.ts';
import { useGraphView } from './graph-view.ts';

/** The faults that keep the graph from running, with links to their steps. */
export function FaultNote({ workflow }: { workflow: Schema<'WorkflowWithGraph'> }) {
  const { onOpen } = useGraphView();
  const { steps, enabled, liveVersion, version } = workflow;
  const faults = shownFaults(workflow);
  if (faults.length === 0) return null;
  return (
    <section aria-label="Problems" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <p className="font-medium">
        {quantity(faults.length, 'problem')} to solve before{' '}
        {enabled ? 'these changes take effect' : 'this can be enabled'}
        {enabled && liveVersion < version && `; until then, contacts enter version ${liveVersion}`}.
      </p>
      <ul className="mt-1 flex flex-col gap-0.5">
        {faults.map((fault) => {
          const step = steps.find(({ id }) => id === fault.stepId);
          return (
            <li key={`${fault.stepId} ${fault.message}`}>
              {step === undefined ? (
                fault.message
              ) : (
                <AriaButton
                  className="text-left underline-offset-2 hover:underline"
                  onPress={() => onOpen(step.id)}
                >
                  <span className="font-medium">{step.name}:</span> {faultText(fault, step)}
                </AriaButton>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
