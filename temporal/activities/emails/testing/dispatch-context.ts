import type { Orm } from '../../../../db/orm.ts';
import { exampleEmail } from '../../../../providers/testing/example-email.ts';
import { RenderTurns } from '../../sending/render-turns.ts';
import type { DispatchContext } from '../dispatch-emails.ts';
import { createDispatchResources } from '../email-dispatcher.ts';

/** A run without limits of rate, whose emails are all alike. */
export const dispatchContext = (
  orm: Orm,
  own: Pick<DispatchContext, 'provider'> & Partial<DispatchContext>,
): DispatchContext => ({
  ...createDispatchResources(orm, new RenderTurns(1), 256),
  em: orm.em.fork(),
  rates: { account: null, project: null },
  render: ({ id, projectId, toEmail }) => ({
    ok: true,
    email: exampleEmail({ emailId: id, projectId, to: { email: toEmail, name: null } }),
  }),
  unknownSeconds: 120,
  signal: new AbortController().signal,
  count: () => undefined,
  warn: () => undefined,
  onWait: () => undefined,
  ...own,
});
