import { getRouteApi } from '@tanstack/react-router';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { $api, api } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { useLeave } from '../../ui/use-leave.ts';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';

const schema = z.object({ password: newPassword });

const route = getRouteApi('/reset-password');

export function ResetPasswordPage() {
  const { token } = route.useSearch();
  const query = $api.useQuery('post', '/auth/password-reset', { body: { token } }, { enabled: token !== '' });
  const isUseless = query.error instanceof ApiError && query.error.status === 400;
  if (query.isLoading) return null;
  return (
    <GuestFrame title="Choose a new password">
      {query.data && <NewPassword token={token} email={query.data.email} />}
      {token === '' && (
        <p>This link is incomplete. Open the full link from the email, or request another one.</p>
      )}
      {!query.data && isUseless && <p>This link was used or has expired.</p>}
      {!query.data && !isUseless && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
      <p className="mt-5 text-sm">
        <TextLink to="/forgot-password">Request another link</TextLink>
      </p>
    </GuestFrame>
  );
}

function NewPassword({ token, email }: { token: string; email: string }) {
  const leave = useLeave();
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { password: '' },
    save: async ({ password }) => {
      await api.POST('/auth/reset-password', { body: { token, password } });
      say('The password is changed. Sign in with it.');
      await leave({ to: '/sign-in', search: {} });
    },
  });
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
      <TextField label="Email" type="email" autoComplete="username" value={email} isReadOnly />
      <FormField
        control={form.control}
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="At least 10 characters. This ends every session of the account."
        autoFocus
      />
      <ErrorNote error={failure} />
      <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
        Change the password
      </Button>
    </form>
  );
}
