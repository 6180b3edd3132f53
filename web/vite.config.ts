import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const apiUrl = process.env.API_URL ?? 'http://127.0.0.1:8080';

/**
 * The build contains no absolute URL: asset URLs are relative, and the API adds a relative `<base>` to the page. The
 * development server has a fixed base and proxies everything else to the API.
 */
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: command === 'serve' ? '/app/' : './',
  plugins: [
    react(),
    tailwindcss(),
    {
      name: 'development-base',
      apply: 'serve',
      transformIndexHtml: () => [
        { tag: 'base', attrs: { href: '/app/' }, injectTo: 'head-prepend' as const },
      ],
    },
  ],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A chunk that creates schemas is evaluated after this one, so Zod is configured by then.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'zod', test: /node_modules\/zod\/|src\/zod-config/ }] },
      },
    },
  },
  server: { proxy: { '^/(?!app/)': { target: apiUrl, changeOrigin: false } } },
}));
