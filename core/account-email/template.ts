import { defaultBrandColor, textColorOn } from '../brand-color.ts';
import { formatMessage, type Locale } from '../messages/messages.ts';

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const button = `background:${defaultBrandColor};color:${textColorOn(defaultBrandColor)}`;

const style = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.card{padding:28px 22px!important}}
@media (prefers-color-scheme:dark){
.ground{background:#0f1318!important}
.card{background:#1c2128!important;border-right-color:#2d343d!important;border-bottom-color:#2d343d!important;border-left-color:#2d343d!important}
.ink{color:#eceff3!important}
.soft{color:#a9b2bd!important}
.link{color:#8ab4ff!important}
.rule{border-color:#2d343d!important}
}`.replaceAll('\n', '');

/**
 * Liquid template of all account emails. Its variables (`accountEmailVariables`, and `accountLink`, which may be empty)
 * are inserted as text, never read as Liquid or HTML. HTML-only parts are marked `data-text="none"`.
 * SES does not put its own address in place of links with `ses:no-track`: its events would carry their tokens.
 */
export const accountEmailTemplate = {
  subject: '{{ title }}',
  body: `<!doctype html>
<html lang="{{ language }}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{{ title }}</title>
<style>${style}</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f3f4f6;-webkit-text-size-adjust:100%">
<div data-text="none" style="display:none;max-height:0;overflow:hidden;mso-hide:all">{{ text }}</div>
<table class="ground" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f6"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px">
<tr data-text="none"><td class="ink" style="padding:0 4px 16px;${font};font-size:17px;line-height:24px;font-weight:700;color:#1b1f24">{{ sender }}</td></tr>
<tr><td class="card" style="padding:36px 40px;background:#ffffff;border:1px solid #e1e4e8;border-top:4px solid ${defaultBrandColor};border-radius:8px;word-break:break-word">
<h1 class="ink" style="margin:0 0 12px;${font};font-size:24px;line-height:31px;font-weight:700;color:#1b1f24">{{ title }}</h1>
<p class="ink" style="margin:0;${font};font-size:16px;line-height:25px;color:#1b1f24">{{ text }}</p>
{% if accountLink != "" %}<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 0"><tr><td align="center" bgcolor="${defaultBrandColor}" style="border-radius:8px"><a ses:no-track href="{{ accountLink }}" style="display:inline-block;padding:13px 26px;border-radius:8px;${font};font-size:16px;line-height:22px;font-weight:600;text-decoration:none;${button}">{{ button }}</a></td></tr></table>{% endif %}{% if expiry != "" %}<p class="soft" style="margin:24px 0 0;${font};font-size:14px;line-height:21px;color:#57606a">{{ expiry }}</p>{% endif %}
<div data-text="none">{% if accountLink != "" %}<p class="soft rule" style="margin:24px 0 0;padding:20px 0 0;border-top:1px solid #e1e4e8;${font};font-size:13px;line-height:20px;color:#57606a">{{ fallback }}<br><a ses:no-track class="link" href="{{ accountLink }}" style="color:${defaultBrandColor};word-break:break-all">{{ accountLink }}</a></p>{% endif %}</div>
</td></tr>
<tr><td class="soft" style="padding:16px 4px 0;${font};font-size:13px;line-height:20px;color:#57606a">{{ hint }}</td></tr>
</table>
</td></tr></table>
</body>
</html>`,
} as const;

export interface AccountEmailTexts {
  title: string;
  text: string;
  button: string;
  /** How long the link works, in hours; null for a link that does not expire. */
  hours: number | null;
  hint: string;
}

export function accountEmailVariables(
  locale: Locale,
  sender: string,
  { hours, ...texts }: AccountEmailTexts,
): Record<string, string> {
  return {
    ...texts,
    language: locale,
    sender,
    expiry:
      hours === null ? '' : formatMessage(locale, 'account.expiry', { duration: formatHours(locale, hours) }),
    fallback: formatMessage(locale, 'account.fallback'),
  };
}

function formatHours(locale: Locale, hours: number): string {
  const isInDays = hours >= 48 && hours % 24 === 0;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: isInDays ? 'day' : 'hour',
    unitDisplay: 'long',
  }).format(isInDays ? hours / 24 : hours);
}
