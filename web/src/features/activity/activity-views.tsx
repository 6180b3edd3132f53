import { useProjectId } from '../../shell/use-project-id.ts';
import { ButtonLink } from '../../ui/button.tsx';

/** Tabs that switch between the feed and the analytics. */
export function ActivityViews({ selected }: { selected: 'feed' | 'analytics' }) {
  const params = { projectId: useProjectId() };
  const look = (view: typeof selected) => ({
    look: 'quiet' as const,
    className: view === selected ? 'bg-hover text-ink' : '',
    'aria-current': view === selected ? ('page' as const) : undefined,
  });
  return (
    <nav aria-label="Views" className="mr-2 flex gap-1">
      <ButtonLink {...look('feed')} to="/projects/$projectId/activity" params={params}>
        Feed
      </ButtonLink>
      <ButtonLink {...look('analytics')} to="/projects/$projectId/activity/analytics" params={params}>
        Analytics
      </ButtonLink>
    </nav>
  );
}
