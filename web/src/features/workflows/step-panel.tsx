import type { ComponentType } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, TextLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { faultText, isWrong, type Step, type StepType } from './graph/graph.ts';
import { useGraphView } from './graph-view.ts';
import { ConditionForm } from './step-forms/condition-form.tsx';
import { DelayForm } from './step-forms/delay-form.tsx';
import { ExitForm } from './step-forms/exit-form.tsx';
import { SendEmailForm } from './step-forms/send-email-form.tsx';
import type { StepFormProps } from './step-forms/step-form.tsx';
import { TriggerForm } from './step-forms/trigger-form.tsx';
import { UpdateContactForm } from './step-forms/update-contact-form.tsx';
import { WaitForm } from './step-forms/wait-form.tsx';
import { WebhookForm } from './step-forms/webhook-form.tsx';
import { Figures } from './step-node.tsx';
import { stepTypes } from './step-types.ts';

const forms: Record<StepType, ComponentType<StepFormProps>> = {
  TRIGGER: TriggerForm,
  SEND_EMAIL: SendEmailForm,
  DELAY: DelayForm,
  WAIT_FOR_EVENT: WaitForm,
  CONDITION: ConditionForm,
  WEBHOOK: WebhookForm,
  UPDATE_CONTACT: UpdateContactForm,
  EXIT: ExitForm,
};

interface StepPanelProps {
  workflowId: string;
  step: Step;
  /** Asks before unsaved input is lost. */
  onLeave: () => void;
  onDone: () => void;
}

/** The form of one step, beside the graph. */
export function StepPanel({ workflowId, step, onLeave, onDone }: StepPanelProps) {
  const { faults, onRemove } = useGraphView();
  const Form = forms[step.type];
  const own = faults.filter((fault) => fault.stepId === step.id && isWrong(fault));
  return (
    <Dialog title={step.name} shape="drawer" isOpen onClose={onLeave}>
      <div className="flex flex-col gap-4">
        <div className="flex items-center justify-between gap-2">
          <Badge>{stepTypes[step.type].title}</Badge>
          {step.type !== 'TRIGGER' && (
            <Button look="danger" onPress={() => onRemove(step)}>
              Remove the step …
            </Button>
          )}
        </div>
        {step.type !== 'TRIGGER' && <WhoIsHere workflowId={workflowId} stepId={step.id} />}
        {own.length > 0 && (
          <ul className="flex flex-col gap-1 rounded-md bg-bad-soft px-3 py-2 text-sm text-bad">
            {own.map((fault) => (
              <li key={fault.message}>{faultText(fault, step)}</li>
            ))}
          </ul>
        )}
        <Form key={step.id} workflowId={workflowId} step={step} onDone={onDone} />
      </div>
    </Dialog>
  );
}

/** How many contacts entered the step, and the way to those who are in it or ended there. */
function WhoIsHere({ workflowId, stepId }: { workflowId: string; stepId: string }) {
  const projectId = useProjectId();
  const entered = useGraphView().figuresOf(stepId)?.entered ?? 0;
  if (entered === 0) return null;
  return (
    <p className="flex flex-wrap items-baseline gap-x-3">
      <Figures stepId={stepId} />
      <TextLink
        to="/projects/$projectId/workflows/$workflowId"
        params={{ projectId, workflowId }}
        search={{ view: 'executions', at: stepId }}
      >
        Show who is here
      </TextLink>
    </p>
  );
}
