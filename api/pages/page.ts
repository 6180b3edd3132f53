import { createHash } from 'node:crypto';
import type Koa from 'koa';
import { defaultBrandColor, isBrandColor, textColorOn } from '../../core/brand-color.ts';
import { type Html, html } from '../../core/html.ts';
import { parseLogoUrl } from '../../core/logo-url.ts';
import { type Locale, messages, negotiateLocale } from '../../core/messages/messages.ts';
import type { PageProject } from '../services/public-links.ts';

export interface Page {
  body: string;
  headers: Record<string, string>;
}

export interface PageOptions {
  locale: Locale;
  project?: PageProject | undefined;
  title: string;
  content: Html;
}

export const pageType = 'text/html; charset=utf-8';

export function showPage(ctx: PageContext, { body, headers }: Page): void {
  ctx.set(headers);
  ctx.type = pageType;
  ctx.body = body;
}

interface PageContext extends Pick<Koa.ExtendableContext, 'set' | 'type'> {
  body: unknown;
}

/**
 * Renders a complete page without scripts, one column, light or dark as the device prefers. Its policy lets the browser
 * load nothing but the project's logo and submit forms only to this host.
 */
export function renderPage({ locale, project, title, content }: PageOptions): Page {
  const wanted = project?.brandColor ?? defaultBrandColor;
  const brand = isBrandColor(wanted) ? wanted : defaultBrandColor;
  const style = `:root{--brand:${brand};--on-brand:${textColorOn(brand)}}${pageStyle}`;
  const styleHash = createHash('sha256').update(style).digest('base64');
  const { text } = html`<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}${project !== undefined && ` · ${project.name}`}</title>
`;
  const { text: body } = html`</head>
<body>
<main>
${project !== undefined && html`<p class="project">${nameOf(project)}</p>`}
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    // The style is our own text plus the checked color; CSS must not be escaped like HTML.
    body: `<!doctype html>\n${text}<style>${style}</style>\n${body}`,
    headers: {
      'Content-Security-Policy':
        `default-src 'none'; style-src 'sha256-${styleHash}'; ${imageSource(project)}form-action 'self'; ` +
        "base-uri 'none'; frame-ancestors 'none'",
      'X-Robots-Tag': 'noindex, nofollow',
      'Content-Language': locale,
    },
  };
}

// No referrer: the page's address holds a token that acts for the contact.
const nameOf = ({ name, logoUrl }: PageProject): Html =>
  logoUrl === null ? html`${name}` : html`<img src="${logoUrl}" alt="${name}" referrerpolicy="no-referrer">`;

function imageSource(project: PageProject | undefined): string {
  const logo = parseLogoUrl(project?.logoUrl ?? '');
  return logo === undefined ? '' : `img-src ${new URL(logo).origin}; `;
}

type Notice = 'page.invalidLink' | 'page.gone' | 'page.tooManyTries' | 'page.failed';

/** For an error with this status. */
export const noticeOf = (status: number): Notice =>
  status === 429 ? 'page.tooManyTries' : status === 422 ? 'page.invalidLink' : 'page.failed';

/** In the language of the browser, else of the project. */
export function showNotice(
  ctx: PageContext & Pick<Koa.ExtendableContext, 'headers'>,
  notice: Notice,
  project?: PageProject,
  signInUrl: string | null = null,
): void {
  const locale = negotiateLocale(ctx.headers['accept-language'], project?.language);
  const text = messages[locale];
  const content = html`<p>${text[`${notice}Hint`]}</p>
${signInUrl !== null && html`<p><a href="${signInUrl}">${text['page.signIn']}</a></p>`}`;
  showPage(ctx, renderPage({ locale, project, title: text[notice], content }));
}

/** `renderPage` sets `--brand` and `--on-brand` before it. Contrasts are at least 4.5 : 1. */
export const pageStyle = `
:root{--ink:#1b1f24;--soft:#57606a;--line:#767e88;--paper:#fff;--ground:#f3f4f6;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#eceff3;--soft:#a9b2bd;--line:#8a94a0;--paper:#1c2128;--ground:#0f1318}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:32rem;margin:0 auto;padding:1.75rem 1.25rem;background:var(--paper);border-top:.375rem solid var(--brand);min-height:100vh;overflow-wrap:anywhere}
@media (min-width:36rem){main{margin:3rem auto;padding:2.25rem 2.5rem;min-height:0;border-radius:.5rem}}
h1{margin:0 0 .75rem;font-size:1.625rem;line-height:1.25}
p{margin:0 0 1.25rem}
a{color:inherit}
a:focus-visible{outline:.1875rem solid var(--ink);outline-offset:.1875rem}
.project{margin:0 0 1.25rem;color:var(--soft);font-weight:600}
.project img{display:block;max-width:100%;max-height:4rem}
.saved{padding:.625rem .875rem;border-left:.25rem solid var(--brand);background:var(--ground)}
form{margin:0 0 1.25rem}
fieldset{margin:1.75rem 0 0;padding:1.25rem 0 0;border:0;border-top:1px solid var(--line)}
legend{float:left;width:100%;margin:0 0 .25rem;padding:0;font-size:1.1875rem;font-weight:600}
legend+*{clear:both}
.hint{color:var(--soft)}
label{display:block;margin:0 0 .25rem;font-weight:600}
input:not([type=hidden]){display:block;width:100%;min-height:3rem;margin:0 0 .375rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper);color:var(--ink);font:inherit}
input:focus-visible{outline:.1875rem solid var(--ink);outline-offset:.125rem}
button{display:block;width:100%;min-height:3rem;margin:0 0 .625rem;padding:.625rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--brand);color:var(--on-brand);font:inherit;font-weight:600;cursor:pointer}
button.plain{background:transparent;color:var(--ink);font-weight:500}
button:hover{text-decoration:underline}
button:focus-visible{outline:.1875rem solid var(--ink);outline-offset:.1875rem}
.lengths{display:grid;grid-template-columns:1fr 1fr;gap:.625rem}
.lengths button{margin:0}
`.replaceAll('\n', '');
