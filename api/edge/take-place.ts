import { addressSubject } from '../access/address-subject.ts';
import { type RunInTurn, runInShortPlace } from '../services/short-place.ts';
import type { EdgeContext, EdgeMiddleware } from './context.ts';
import type { Edge } from './create-edge.ts';
import { ClientGone } from './error-response.ts';
import type { Route } from './route.ts';

/**
 * Limits how many requests of a project, or of a user outside of one, and of all of them together run at a time in this
 * process; others wait. Requests of neither, on routes that are limited by address, count as those of one project. Writes and
 * short reads have places of their own.
 *
 * @returns undefined for a route that takes no place here
 * @throws DomainError `RATE_LIMIT_EXCEEDED` when too many of the project wait, `SERVICE_UNAVAILABLE` when its turn does
 * not come in time
 * @throws ClientGone when the client has left meanwhile: it may repeat a write, which then must not run twice
 */
export function takePlace(
  { method, hot, place, limitByAddress }: Route,
  edge: Edge,
): EdgeMiddleware | undefined {
  if (hot || place === 'byService' || place === 'none') return undefined;
  if (place === 'elsewhere') return waitForPlace(edge.waitingElsewhere.run);
  const isRead = method === 'GET';
  const ofVisitors = limitByAddress ? (isRead ? edge.visitorReads : edge.visitorWrites).run : undefined;
  if (!isRead) return waitForPlace(edge.writes.run, ofVisitors);
  return waitForPlace(inShortPlace(edge.shortReads.run), ofVisitors && inShortPlace(ofVisitors));
}

const inShortPlace =
  (run: RunInTurn): RunInTurn =>
  (owner, work, signal) =>
    runInShortPlace(run, owner, work, signal);

function waitForPlace(ofOwner: RunInTurn, ofVisitors?: RunInTurn): EdgeMiddleware {
  return (ctx, next) => {
    const owner = ctx.state.project?.id ?? ctx.state.user?.id;
    const run = owner === undefined ? ofVisitors : ofOwner;
    if (run === undefined) return next();
    const client = watchClient(ctx);
    return run(
      owner ?? addressSubject(ctx.ip),
      () => {
        client.check();
        return next();
      },
      client.signal,
    );
  };
}

/** Until the turn of its request. */
function watchClient({ res }: EdgeContext) {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new ClientGone('The client left before its turn'));
  res.once('close', leave);
  if (res.destroyed) leave();
  return {
    signal: leaving.signal,
    check() {
      res.off('close', leave);
      if (res.destroyed) leave();
      leaving.signal.throwIfAborted();
    },
  };
}
