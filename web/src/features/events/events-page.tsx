import { getRouteApi } from '@tanstack/react-router';
import { EventListPage } from './event-list-page.tsx';
import { EventPage } from './event-page.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/events');

export function EventsPage() {
  const { name } = route.useSearch();
  return name === undefined ? <EventListPage /> : <EventPage key={name} name={name} />;
}
