import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { $api, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';

const schema = z.object({ password: z.union([z.literal(''), newPassword]) });

const route = getRouteApi('/verify-email');

/** Only the button verifies the address, because mail scanners open every link. */
export function VerifyEmailPage() {
  const { token } = route.useSearch();
  const [answer, setAnswer] = useState<string>();
  const { data: user, isPending } = $api.useQuery('get', '/users/@me', {}, { retry: false });
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { password: '' },
    save: async ({ password }) => {
      const { data } = await api.POST('/auth/verify-email', {
        body: { token, ...(password !== '' && { password }) },
      });
      await refresh('/users/@me');
      setAnswer(data?.message);
    },
  });
  if (token === '') return <IncompleteLink />;
  if (isPending) return null;
  return (
    <GuestFrame title="Verify your address">
      {answer === undefined ? (
        <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
          {user ? (
            <p className="text-muted">You are signed in as {user.email}.</p>
          ) : (
            <FormField
              control={form.control}
              name="password"
              label="Password"
              type="password"
              autoComplete="current-password"
              hint="The one you signed up with; it shows that the account is yours. Any other becomes the new one."
            />
          )}
          <ErrorNote error={failure} />
          {failure !== null && (
            <p className="text-sm">
              {user?.emailVerified && `${user.email} is verified already. `}
              <TextLink to="/account">Go to your account</TextLink>
            </p>
          )}
          <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
            This address is mine
          </Button>
        </form>
      ) : (
        <>
          <p role="status">{answer}</p>
          <p className="mt-5 text-sm">
            <TextLink to="/">Go to the dashboard</TextLink>
          </p>
        </>
      )}
    </GuestFrame>
  );
}

function IncompleteLink() {
  return (
    <GuestFrame title="Verify your address">
      <p>
        This link is not complete. Open the one in the email as a whole, or ask for another on the page of
        your account.
      </p>
      <p className="mt-5 text-sm">
        <TextLink to="/account">Go to your account</TextLink>
      </p>
    </GuestFrame>
  );
}
