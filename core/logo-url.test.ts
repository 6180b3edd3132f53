import { expect, it } from 'vitest';
import { parseLogoUrl } from './logo-url.ts';

it.each([
  ['https://cdn.example.com/logo.png', 'https://cdn.example.com/logo.png'],
  ['HTTPS://CDN.example.com:8443/a b".png?v=1', 'https://cdn.example.com:8443/a%20b%22.png?v=1'],
  ['http://localhost:3000/uploads/a/b.png', 'http://localhost:3000/uploads/a/b.png'],
  ['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
])('%s is a logo', (text, url) => {
  expect(parseLogoUrl(text)).toBe(url);
});

it.each([
  '',
  '/logo.png',
  '//cdn.example.com/logo.png',
  'http://cdn.example.com/logo.png',
  'http://localhost.example.com/logo.png',
  'javascript:alert(1)',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'https://user:secret@cdn.example.com/logo.png',
  "https://a;script-src'unsafe-inline'/logo.png",
  'https://a,b/logo.png',
  'https://*.example.com/logo.png',
  'https://[::1]/logo.png',
  `https://cdn.example.com/${'x'.repeat(2000)}`,
])('%s is none', (text) => {
  expect(parseLogoUrl(text)).toBeUndefined();
});
