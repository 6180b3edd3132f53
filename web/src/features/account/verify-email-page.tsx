import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { $api, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';

const route = getRouteApi('/verify-email');

export function VerifyEmailPage() {
  const { token } = route.useSearch();
  const query = $api.useQuery('post', '/auth/verification', { body: { token } }, { enabled: token !== '' });
  const { data: user, isPending } = $api.useQuery('get', '/users/@me', {}, { retry: false });
  const isUseless = query.error instanceof ApiError && query.error.status === 400;
  if (query.isLoading || isPending) return null;
  return (
    <GuestFrame title="Verify your address">
      {query.data ? (
        <Verification token={token} signedInAs={user?.email} {...query.data} />
      ) : (
        <>
          {token === '' && (
            <p>
              This link is incomplete. Open the full link from the email, or request another one on the page
              of your account.
            </p>
          )}
          {isUseless && (
            <p>
              This link has been used or has expired.{' '}
              {user?.emailVerified
                ? `${user.email} is verified already.`
                : 'Request another one on your account page.'}
            </p>
          )}
          {!isUseless && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
          <p className="mt-5 text-sm">
            <TextLink to="/account">Go to your account</TextLink>
          </p>
        </>
      )}
    </GuestFrame>
  );
}

interface VerificationProps {
  token: string;
  email: string;
  /** True if this browser is not signed in to the account. */
  needsPassword: boolean;
  signedInAs: string | undefined;
}

/** Only the button verifies the address, because mail scanners open every link. */
function Verification({ token, email, needsPassword, signedInAs }: VerificationProps) {
  const [answer, setAnswer] = useState<string>();
  const { form, failure, submit } = useApiForm({
    schema: z.object({ password: needsPassword ? newPassword : z.string() }),
    defaultValues: { password: '' },
    save: async ({ password }) => {
      const body = { token, ...(needsPassword && { password }) };
      const { data } = await api.POST('/auth/verify-email', { body });
      await refresh('/users/@me');
      setAnswer(data?.message);
    },
  });
  const isOther = signedInAs !== undefined && signedInAs !== email;
  if (answer !== undefined) {
    return (
      <>
        <p role="status">{answer}</p>
        <p className="mt-5 text-sm">
          {isOther ? (
            <TextLink to="/sign-in">Sign in as {email}</TextLink>
          ) : (
            <TextLink to="/">Go to the dashboard</TextLink>
          )}
        </p>
      </>
    );
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
      {isOther && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          You are signed in as {signedInAs}. This link is for another account.
        </p>
      )}
      <TextField label="Email" type="email" autoComplete="username" value={email} isReadOnly />
      {needsPassword && (
        <FormField
          control={form.control}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          hint="The password you signed up with proves that the account is yours. Any other becomes the new password."
          autoFocus
        />
      )}
      <ErrorNote error={failure} />
      <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
        Verify this address
      </Button>
    </form>
  );
}
