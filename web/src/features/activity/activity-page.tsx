import { getRouteApi } from '@tanstack/react-router';
import { byCursor, onFirstPage } from '../../api/by-cursor.ts';
import { $api, type Schema } from '../../api/client.ts';
import { ContactLink } from '../../shell/contact-link.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Badge } from '../../ui/badge.tsx';
import { TextLink } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { PeriodFilter } from '../../ui/period-filter.tsx';
import { Time } from '../../ui/time.tsx';
import { linkOf } from './activity-link.ts';
import { describeActivity } from './activity-sentence.ts';
import { ActivityViews } from './activity-views.tsx';
import { kindOptions } from './kinds.ts';
import { feedInit } from './queries.ts';
import { ReceivedDrawer } from './received-drawer.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/activity');

export function ActivityPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { kind, received, ...period } = search;
  const query = $api.useInfiniteQuery('get', '/activity', feedInit(search), {
    ...byCursor,
    refetchInterval: onFirstPage(5_000),
  });
  const isLive = query.data?.pages.length === 1 && period.to === undefined;
  const isFiltered = kind !== undefined || period.period !== undefined;
  return (
    <Page
      title="Activity"
      badge={isLive && <Badge tone="good">Live</Badge>}
      toolbar={
        <>
          <ActivityViews selected="feed" />
          <ChoiceFilter
            label="What happened"
            every="Everything"
            options={kindOptions}
            value={kind}
            onChange={(chosen) => void navigate({ search: { ...search, kind: chosen } })}
            className="w-52"
          />
          <PeriodFilter
            value={period}
            onChange={(change) => void navigate({ search: { ...search, ...change } })}
          />
        </>
      }
    >
      <Pages
        query={query}
        rowsOf={({ data }) => data}
        empty={
          isFiltered ? (
            <EmptyState title="No matching activity">Change the filters.</EmptyState>
          ) : (
            <EmptyState title="No activity yet">
              Sends, opens, clicks, events and subscriptions appear here within seconds.
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <ol aria-label="What happened, newest first">
            {rows.map((activity) => (
              <Entry key={activity.id} activity={activity} />
            ))}
          </ol>
        )}
      </Pages>
      <ReceivedDrawer
        id={received}
        onClose={() => void navigate({ search: { ...search, received: undefined }, resetScroll: false })}
      />
    </Page>
  );
}

function Entry({ activity }: { activity: Schema<'Activity'> }) {
  const projectId = useProjectId();
  const { who, words, what, note } = describeActivity(activity);
  const link = linkOf(projectId, activity);
  const text = what === null ? words : `“${what}”`;
  const { contactId } = activity;
  return (
    <li className="flex items-baseline gap-4 border-b border-line py-2">
      <div className="min-w-0 flex-1">
        <p className="break-words">
          {who !== null && (
            <ContactLink contactId={contactId} className="font-medium text-ink">
              {who}
            </ContactLink>
          )}{' '}
          {what !== null && <span className="text-muted">{words} </span>}
          {link === null ? (
            <span className={what === null ? 'text-muted' : ''}>{text}</span>
          ) : (
            <TextLink {...link} resetScroll={link.to !== '/projects/$projectId/activity'}>
              {text}
            </TextLink>
          )}
        </p>
        {note && <p className="truncate text-xs text-muted">{note}</p>}
      </div>
      <span className="shrink-0 text-sm text-muted">
        <Time at={activity.timestamp} />
      </span>
    </li>
  );
}
