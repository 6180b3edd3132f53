import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { z } from 'zod';
import { api, appUrl, beginSession } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { Button, OutsideLink } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useApiForm } from '../ui/form.ts';
import { FormField } from '../ui/form-field.tsx';
import { userQuery } from './session.ts';

const schema = z.object({ password: z.string().min(1, 'Enter your password.') });

/** Signs in again in a dialog over the page, which keeps the user's input. */
export default function SessionEnded({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const router = useRouter();
  const { data: user } = useQuery({ ...userQuery, enabled: false });
  const proceed = () => {
    beginSession();
    onClose();
    void queryClient.invalidateQueries();
  };
  useEffect(() => {
    // A sign-in in another tab counts for this one, too.
    const look = () => {
      api.GET('/users/@me').then(
        ({ data }) => (data?.id === user?.id ? proceed() : window.location.reload()),
        () => {},
      );
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  });
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { password: '' },
    async save({ password }) {
      await api.POST('/auth/login', { body: { email: user?.email ?? '', password } });
      proceed();
    },
  });
  return (
    <Dialog title="Your session has ended" isOpen onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
        <p className="text-muted">
          Sign in again as {user?.email} to continue. What you have typed on this page is still here.
        </p>
        <FormField
          control={form.control}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          autoFocus
        />
        <ErrorNote error={failure} />
        <p className="text-sm">
          <OutsideLink href={new URL('sign-in', appUrl).href}>Sign in another way, in a new tab</OutsideLink>
        </p>
        <DialogActions>
          <Button
            onPress={() =>
              void navigate({ to: '/sign-in', search: { next: router.state.location.publicHref } })
            }
          >
            Leave this page
          </Button>
          <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
            Sign in
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
