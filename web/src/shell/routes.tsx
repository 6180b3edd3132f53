import { createRootRoute, createRoute, notFound, redirect } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { enterProject, queryClient } from '../api/query-client.ts';
import { CrashPage, NotFoundPage } from './fault-pages.tsx';
import { lastProjectId } from './last-project.ts';
import { ProjectLayout } from './project-layout.tsx';
import { projectsQuery, userQuery } from './session.ts';
import { SignedInLayout } from './signed-in-layout.tsx';

export const rootRoute = createRootRoute({
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
});

/** Pages that need a session; other visitors sign in first and then return. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(userQuery);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: { next: location.publicHref } });
    }
  },
  component: SignedInLayout,
});

/** Pages of one project. The URL names it, so two tabs can show two projects. */
export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'projects/$projectId',
  async beforeLoad({ params, preload }) {
    if (preload) return;
    enterProject(params.projectId);
    const { data } = await queryClient.ensureQueryData(projectsQuery);
    if (!data.some(({ id }) => id === params.projectId)) throw notFound();
  },
  component: ProjectLayout,
  notFoundComponent: NotFoundPage,
});

/** `/` redirects to the project that was open last, or to the first one. */
export const startRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  async beforeLoad() {
    const { data } = await queryClient.ensureQueryData(projectsQuery);
    const last = data.find(({ id }) => id === lastProjectId()) ?? data[0];
    if (last === undefined) throw redirect({ to: '/account', search: {} });
    throw redirect({ to: '/projects/$projectId', params: { projectId: last.id } });
  },
});
