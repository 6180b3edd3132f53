import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';

/** A stored address: zod's email pattern is stricter than the one applied on input. */
export const addressSchema = z.string().meta({ format: 'email' });

export const userSchema = z
  .object({
    id: z.uuid(),
    email: addressSchema,
    name: z.string().nullable(),
    emailVerified: z.boolean(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });

/** Length in characters; longer passwords would only cost hashing time. */
export const newPasswordSchema = z.string().min(10).max(256);

const tokenSchema = z.string().min(1).max(200);

export const signUpBodySchema = z.object({
  email: emailAddressSchema,
  password: newPasswordSchema,
  name: z.string().trim().max(200).optional(),
  invitation: tokenSchema.optional().describe('Token of a mailed invitation to the address.'),
});

export type SignUpBody = z.output<typeof signUpBodySchema>;

export const logInBodySchema = z.object({ email: emailAddressSchema, password: z.string().min(1).max(256) });

export const tokenBodySchema = z.object({ token: tokenSchema });

export const openInvitationSchema = z.object({
  email: z.string(),
  projectName: z.string(),
  hasAccount: z.boolean().describe('Whether someone has signed up with the address, without verifying it.'),
});

export const openVerificationSchema = z.object({
  email: z.string(),
  needsPassword: z
    .boolean()
    .describe(
      'Whether the account loses its password unless the password is sent too, because this is not its session.',
    ),
});

export const openPasswordResetSchema = z.object({ email: z.string() });

export const signedInSchema = z.object({ user: userSchema });

export const requestLinkBodySchema = z.object({ email: emailAddressSchema });

export const confirmEmailBodySchema = z.object({
  token: tokenSchema,
  password: newPasswordSchema
    .optional()
    .describe('The password chosen at sign-up; any other value becomes the new password.'),
});

export const resetPasswordBodySchema = z.object({ token: tokenSchema, password: newPasswordSchema });

export const messageSchema = z.object({ message: z.string() });
