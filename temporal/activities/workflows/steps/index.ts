import { settleVariables } from '../../../../core/conditions/settle-variables.ts';
import { pauseOf } from '../../../../core/workflows/endless.ts';
import type { Step, StepOf } from '../../../../core/workflows/graph.ts';
import { matchContact } from '../../../../db/conditions/match-contact.ts';
import { workflowIds } from '../../../contracts/workflow-ids.ts';
import { immediate } from './immediate.ts';
import { sendEmail } from './send-email.ts';
import { updateContact } from './update-contact.ts';
import { variablesOf } from './variables.ts';
import { waitForEvent } from './wait-for-event.ts';
import { complete, enter, exit, type StepHandler, standingAt, type Walk } from './walk.ts';

type Handlers = { [T in Step['type']]: StepHandler<StepOf<T>> };

const handlers: Handlers = {
  TRIGGER: {
    enter: async () => {
      throw new Error('The trigger of a valid graph has no incoming transition');
    },
  },
  SEND_EMAIL: sendEmail,
  DELAY: {
    async enter(walk, step) {
      const { ms } = step.config;
      const entered = await enter(walk, step, ms);
      return { follow: 'sleep', ...standingAt(entered, step), ms };
    },
    async check(walk, step) {
      const ms = walk.execution.resumesInMs;
      if (ms !== null && ms > 0) return { follow: 'sleep', ...standingAt(walk, step), ms };
      return complete(walk, step, { pause: pauseOf(step.config.ms) });
    },
  },
  WAIT_FOR_EVENT: waitForEvent,
  CONDITION: immediate(async ({ em, execution }, { config }) => {
    const { projectId, contactId } = execution;
    const now = new Date();
    const settled = settleVariables(config.condition, variablesOf(execution), now);
    const matches =
      typeof settled === 'boolean' ? settled : await matchContact(em, projectId, contactId, settled, now);
    const branch = matches ? 'yes' : 'no';
    return { branch, output: { branch } };
  }),
  WEBHOOK: {
    async enter(walk, step) {
      noteCall(walk);
      return { follow: 'call', ...standingAt(await enter(walk, step), step) };
    },
    async check(walk, step) {
      // The outcome of an earlier call is settled at once.
      if (walk.execution.calledMsAgo === null) noteCall(walk, walk.execution.enteredAt ?? undefined);
      return { follow: 'call', ...standingAt(walk, step) };
    },
  },
  UPDATE_CONTACT: updateContact,
  EXIT: { enter: exit },
};

function noteCall({ effects, execution }: Walk, since?: Date): void {
  const { projectId, workflowId, contactId, id } = execution;
  effects.call = { projectId, temporalId: workflowIds.workflowExecution(workflowId, contactId, id), since };
}

export function handlerOf<S extends Step>({ type }: S): StepHandler<S> {
  // as: the handler of this type, which TypeScript can't infer from the table.
  return handlers[type] as unknown as StepHandler<S>;
}
