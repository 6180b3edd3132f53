import { createRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { rootRoute, signedInRoute } from '../../shell/routes.tsx';
import { lazyComponent } from '../../ui/lazy-component.ts';

/** Emailed links carry a token. */
const tokenSearch = z.object({ token: z.string().catch('') });

/** Pages that need no session. */
export const guestRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-in',
    validateSearch: z.object({
      /** The page to open after signing in. */
      next: z.string().optional(),
      /** Token of a one-time sign-in link. */
      token: z.string().optional(),
      /** Why an OAuth sign-in failed. */
      error: z.string().optional(),
    }),
    component: lazyComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'sign-up',
    component: lazyComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'accept-invitation',
    validateSearch: tokenSearch,
    component: lazyComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forgot-password',
    component: lazyComponent(() => import('./forgot-password-page.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'reset-password',
    validateSearch: tokenSearch,
    component: lazyComponent(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'verify-email',
    validateSearch: tokenSearch,
    component: lazyComponent(() => import('./verify-email-page.tsx'), 'VerifyEmailPage'),
  }),
] as const;

export const accountRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: 'account',
    /** `create` opens the form for a new project. */
    validateSearch: z.object({ create: z.boolean().optional().catch(undefined) }),
    component: lazyComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
] as const;
