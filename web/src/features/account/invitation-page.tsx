import { getRouteApi } from '@tanstack/react-router';
import { z } from 'zod';
import { ApiError } from '../../api/api-error.ts';
import { $api, api } from '../../api/client.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { TextField } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';
import { newPassword } from './new-password.ts';
import { ProviderLinks } from './provider-links.tsx';
import { useEnter } from './use-enter.ts';

const schema = z.object({ name: z.string().max(200), password: newPassword });

const route = getRouteApi('/accept-invitation');

/**
 * The page behind an emailed invitation. The link proves the address, so it also takes over an account that never
 * verified it.
 */
export function InvitationPage() {
  const { token } = route.useSearch();
  const query = $api.useQuery('post', '/auth/invitation', { body: { token } }, { enabled: token !== '' });
  const isUseless = query.error instanceof ApiError && query.error.status === 400;
  if (query.data) return <Invitation token={token} {...query.data} />;
  if (query.isLoading) return null;
  return (
    <GuestFrame title="Invitation">
      {token === '' && <p>This link is incomplete. Open the full link from the email.</p>}
      {isUseless && (
        <p>
          This invitation was used or withdrawn, it has expired, or a newer one was sent. Look for that, or
          ask for one.
        </p>
      )}
      {!isUseless && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
      <p className="mt-5 text-sm">
        Already accepted it? <TextLink to="/">Go to the dashboard</TextLink>
      </p>
    </GuestFrame>
  );
}

interface InvitationProps {
  token: string;
  email: string;
  projectName: string;
  /** The address has an account that has not verified it yet. */
  hasAccount: boolean;
}

function Invitation({ token, email, projectName, hasAccount }: InvitationProps) {
  const enter = useEnter();
  const { data: user } = $api.useQuery('get', '/users/@me', {}, { retry: false });
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { name: '', password: '' },
    save: async ({ name, password }) => {
      await api.POST('/auth/signup', {
        body: { email, password, invitation: token, ...(name !== '' && { name }) },
      });
      await enter();
    },
  });
  return (
    <GuestFrame title={`Join ${projectName}`}>
      <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
        {user && user.email !== email && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            You are signed in as {user.email}. Accepting signs you out of that account here.
          </p>
        )}
        <p className="text-muted">
          {hasAccount
            ? 'You have an account with this address that is not verified yet. Accepting verifies it.'
            : 'Choose a password for your new account.'}
        </p>
        <TextField label="Email" type="email" autoComplete="username" value={email} isReadOnly />
        {!hasAccount && (
          <FormField control={form.control} name="name" label="Name" hint="Optional." autoComplete="name" />
        )}
        <FormField
          control={form.control}
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          hint={hasAccount ? 'Your password from now on. At least 10 characters.' : 'At least 10 characters.'}
          autoFocus
        />
        <ErrorNote error={failure} />
        <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
          Accept the invitation
        </Button>
      </form>
      <ProviderLinks />
    </GuestFrame>
  );
}
