const words = new Map([
  ['attempt_expired', 'The sign-in took too long, or was started in another browser. Try again.'],
  ['provider_refused', 'The provider cancelled or refused the sign-in. Try again, or use your password.'],
  ['provider_unavailable', 'The provider does not answer. Try again in a few minutes, or use your password.'],
  [
    'address_not_verified',
    'Your account at the provider has no verified email address. Verify it there first, then try again.',
  ],
  ['sign_up_off', 'There is no account with your address here, and new accounts need an invitation.'],
  ['not_found', 'This way to sign in is not set up on this server.'],
]);

/** Why a sign-in with a provider failed. @param reason from the URL, so it is never shown itself */
export const refusalWords = (reason: string): string => words.get(reason) ?? 'The sign-in failed. Try again.';
