import { type Html, html } from '../../../core/html.ts';

export function layout(title: string, content: Html): string {
  return `<!doctype html>${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/assets/inbox.css">
<link rel="icon" href="data:,">
<script src="/assets/inbox.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="bar"><a class="brand" href="/">Posthaste <span>inbox</span></a><p>Nothing leaves this machine.</p></header>
<main id="content">${content}</main>
</body>
</html>`.text
  }`;
}
