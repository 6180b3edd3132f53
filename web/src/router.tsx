import { createRouter } from '@tanstack/react-router';
import { appUrl } from './api/client.ts';
import { accountRoutes, guestRoutes } from './features/account/routes.tsx';
import { activityRoutes } from './features/activity/routes.tsx';
import { campaignRoutes } from './features/campaigns/routes.tsx';
import { contactRoutes } from './features/contacts/routes.tsx';
import { developerRoutes } from './features/developers/routes.tsx';
import { domainRoutes } from './features/domains/routes.tsx';
import { emailRoutes } from './features/emails/routes.tsx';
import { eventRoutes } from './features/events/routes.tsx';
import { homeRoutes } from './features/home/routes.tsx';
import { imageRoutes } from './features/images/routes.tsx';
import { segmentRoutes } from './features/segments/routes.tsx';
import { settingsRoutes } from './features/settings/routes.tsx';
import { suppressionRoutes } from './features/suppressions/routes.tsx';
import { templateRoutes } from './features/templates/routes.tsx';
import { workflowRoutes } from './features/workflows/routes.tsx';
import { projectRoute, rootRoute, signedInRoute, startRoute } from './shell/routes.tsx';

const routeTree = rootRoute.addChildren([
  ...guestRoutes,
  signedInRoute.addChildren([
    startRoute,
    ...accountRoutes,
    projectRoute.addChildren([
      ...activityRoutes,
      ...campaignRoutes,
      ...contactRoutes,
      ...developerRoutes,
      ...domainRoutes,
      ...emailRoutes,
      ...eventRoutes,
      ...homeRoutes,
      ...imageRoutes,
      ...segmentRoutes,
      ...settingsRoutes,
      ...suppressionRoutes,
      ...templateRoutes,
      ...workflowRoutes,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: appUrl.pathname,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // The page of another record starts afresh: nothing typed, opened or begun belongs to it.
  defaultRemountDeps: ({ params }) => params,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
