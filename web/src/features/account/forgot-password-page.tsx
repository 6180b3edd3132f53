import { useState } from 'react';
import { z } from 'zod';
import { api } from '../../api/client.ts';
import { addressSchema } from '../../ui/address-schema.ts';
import { Button, TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { GuestFrame } from './guest-frame.tsx';

const schema = z.object({ email: addressSchema('Enter the address of your account.') });

export function ForgotPasswordPage() {
  const [answer, setAnswer] = useState<string>();
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: { email: '' },
    save: async (body) => {
      const { data } = await api.POST('/auth/request-password-reset', { body });
      setAnswer(data?.message);
    },
  });
  return (
    <GuestFrame title="Choose a new password">
      {answer === undefined ? (
        <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
          <FormField
            control={form.control}
            name="email"
            label="Email"
            type="email"
            autoComplete="username"
            hint="We will email you a link that works for one hour."
            autoFocus
          />
          <ErrorNote error={failure} />
          <Button type="submit" look="primary" isPending={form.formState.isSubmitting}>
            Email me a link
          </Button>
        </form>
      ) : (
        <p role="status">{answer}</p>
      )}
      <p className="mt-5 text-sm">
        <TextLink to="/sign-in">Back to sign-in</TextLink>
      </p>
    </GuestFrame>
  );
}
