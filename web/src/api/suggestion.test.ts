import { describe, expect, it } from 'vitest';
import { suggestionForPeople } from './suggestion.ts';

describe('a suggestion of the API', () => {
  it('is translated into terms of the dashboard', () => {
    const stale = 'Fetch it again, reapply your change, and send the new updatedAt in If-Match.';
    expect(suggestionForPeople(stale)).toBe('Reload the page to see the change, then make yours.');
    const active = 'Wait for them to end, or cancel them with POST /workflows/{id}/executions/cancel-all.';
    expect(suggestionForPeople(active)).toContain('on the workflow’s page');
  });

  it.each([
    'GET the same path for its progress.',
    'Pass the cursor of the previous page, or leave it out.',
    'Remove the references that `details` lists first.',
    'Send the header Content-Type: application/json.',
  ])('is left out when only an API client can follow it: %s', (suggestion) => {
    expect(suggestionForPeople(suggestion)).toBeNull();
  });

  it('is unchanged when it already addresses people', () => {
    expect(suggestionForPeople('Try again in 5 seconds.')).toBe('Try again in 5 seconds.');
    expect(suggestionForPeople(undefined)).toBeNull();
  });

  it('tells a long wait in minutes', () => {
    const wait = 'Try again in 894 seconds, or reset the password.';
    expect(suggestionForPeople(wait)).toBe('Try again in 15 minutes, or reset the password.');
  });
});
