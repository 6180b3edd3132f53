import { settleVariables } from '../../../../core/conditions/settle-variables.ts';
import type { StepOf } from '../../../../core/workflows/graph.ts';
import { matchContact } from '../../../../db/conditions/match-contact.ts';
import { immediate } from './immediate.ts';
import { variablesOf } from './variables.ts';

export const condition = immediate<StepOf<'CONDITION'>>(async ({ em, execution }, { config }) => {
  const { projectId, contactId } = execution;
  const now = new Date();
  const settled = settleVariables(config.condition, variablesOf(execution), now);
  const matches =
    typeof settled === 'boolean' ? settled : await matchContact(em, projectId, contactId, settled, now);
  const branch = matches ? 'yes' : 'no';
  return { branch, output: { branch } };
});
