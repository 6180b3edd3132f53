import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { say } from '../../ui/toast.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';

const schema = z.object({ password: newPassword });

const route = getRouteApi('/reset-password');

export function ResetPasswordPage() {
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { password: '' },
    save: async ({ password }) => {
      await api.POST('/auth/reset-password', { body: { token, password } });
      say('The password is changed. Sign in with it.');
      await navigate({ to: '/sign-in', search: {} });
    },
  });
  if (token === '') {
    return (
      <GuestFrame title="Choose a new password">
        <p>This link is incomplete. Open the full link from the email, or request another one.</p>
        <p className="mt-5 text-sm">
          <TextLink to="/forgot-password">Request another link</TextLink>
        </p>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame title="Choose a new password">
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
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
      <p className="mt-5 text-sm">
        <TextLink to="/forgot-password">Request another link</TextLink>
      </p>
    </GuestFrame>
  );
}
