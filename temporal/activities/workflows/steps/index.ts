import type { Step, StepOf } from '../../../../core/workflows/graph.ts';
import { condition } from './condition.ts';
import { delay } from './delay.ts';
import { sendEmail } from './send-email.ts';
import { updateContact } from './update-contact.ts';
import { waitForEvent } from './wait-for-event.ts';
import { exit, type StepHandler } from './walk.ts';
import { webhook } from './webhook.ts';

type Handlers = { [T in Step['type']]: StepHandler<StepOf<T>> };

const handlers: Handlers = {
  TRIGGER: {
    enter: async () => {
      throw new Error('The trigger of a valid graph has no incoming transition');
    },
  },
  SEND_EMAIL: sendEmail,
  DELAY: delay,
  WAIT_FOR_EVENT: waitForEvent,
  CONDITION: condition,
  WEBHOOK: webhook,
  UPDATE_CONTACT: updateContact,
  EXIT: { enter: exit },
};

export function handlerOf<S extends Step>({ type }: S): StepHandler<S> {
  // as: the handler of this type, which TypeScript can't infer from the table.
  return handlers[type] as unknown as StepHandler<S>;
}
