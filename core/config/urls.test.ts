import { expect, it } from 'vitest';
import { returnPages, sitePages } from './urls.ts';

const api = { HOST: '127.0.0.1', PORT: 8080, API_URL: 'https://api.example.com/mail/' };

it('lead to the dashboard', () => {
  const pages = sitePages({ ...api, DASHBOARD_URL: 'https://app.example.com/x/' });
  expect(pages.signedIn).toBe('https://app.example.com/x/');
  expect([pages.billing('p'), pages.billing('p', 'success'), pages.billing('p', 'cancelled')]).toEqual([
    'https://app.example.com/x/projects/p/billing',
    'https://app.example.com/x/projects/p/billing?checkout=success',
    'https://app.example.com/x/projects/p/billing?checkout=cancelled',
  ]);
  expect(pages.security('p')).toBe('https://app.example.com/x/projects/p/security');
});

it('lead to pages of the API without one', () => {
  const pages = sitePages({ ...api, DASHBOARD_URL: undefined });
  const named = [
    pages.signedIn,
    pages.billing('p', 'success'),
    pages.billing('p', 'cancelled'),
    pages.billing('p'),
  ];
  expect(named).toEqual(returnPages.map((page) => `https://api.example.com/mail/return/${page}`));
  expect(pages.security('p')).toBeNull();
});
