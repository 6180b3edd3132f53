import { useQuery } from '@tanstack/react-query';
import { isAdmin, useProject } from '../../shell/session.ts';
import { TextLink } from '../../ui/button.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { homeQueries } from './queries.ts';

const categories = [
  { name: 'transactional', one: 'transactional email', many: 'transactional emails', verb: 'leave' },
  { name: 'campaigns', one: 'campaign email', many: 'campaign emails', verb: 'leave' },
  { name: 'workflows', one: 'workflow email', many: 'workflow emails', verb: 'leave' },
  { name: 'inbound', one: 'received email', many: 'received emails', verb: 'are accepted' },
] as const;

/** Warn when a fifth of the limit is left. */
const nearly = 5;

/** Limits of this month that are reached or nearly reached, for users who may change them. */
export function LimitNotes() {
  const project = useProject();
  const { data } = useQuery({ ...homeQueries.consumption(project.id), enabled: isAdmin(project) });
  return categories.map(({ name, one, many, verb }) => {
    const { limit, remaining } = data?.categories[name] ?? { limit: null, remaining: null };
    if (limit === null || remaining === null || remaining * nearly > limit) return null;
    const isReached = remaining === 0;
    return (
      <p
        key={name}
        role="status"
        className={`rounded-md px-3 py-2 text-sm ${isReached ? 'bg-bad-soft text-bad' : 'bg-warn-soft text-warn'}`}
      >
        {isReached
          ? `No more ${many} ${verb} this month: the limit of ${count(limit)} is reached.`
          : `${count(remaining)} of ${quantity(limit, one, many)} ${remaining === 1 ? 'is' : 'are'} left this month.`}{' '}
        <TextLink
          to="/projects/$projectId/settings"
          params={{ projectId: project.id }}
          search={{ tab: 'limits' }}
        >
          Change the limits
        </TextLink>
      </p>
    );
  });
}
