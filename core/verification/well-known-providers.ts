/**
 * Often-mistyped mailbox providers. Most misspellings are registered and take mail, so a typo counts even if
 * its domain resolves.
 */
export const leadingProviders: readonly string[] = [
  ...['gmail.com', 'yahoo.com', 'hotmail.com', 'outlook.com', 'icloud.com', 'yahoo.co.uk', 'hotmail.co.uk'],
  ...['yahoo.fr', 'hotmail.fr', 'outlook.fr', 'yahoo.de', 'hotmail.de', 'outlook.de', 'yahoo.es'],
  ...['hotmail.es', 'outlook.es', 'yahoo.it', 'hotmail.it', 'outlook.it', 'yahoo.nl', 'hotmail.nl'],
  ...['yahoo.ca', 'hotmail.ca', 'yahoo.com.br', 'hotmail.com.br', 'outlook.com.br', 'yahoo.co.in'],
  ...['yahoo.co.jp', 'yahoo.com.au', 'hotmail.com.au', 'yahoo.com.mx', 'yahoo.com.ar'],
];

/** Other common providers. A similar domain is a typo only if it takes no mail. */
export const otherProviders: readonly string[] = [
  ...['aol.com', 'live.com', 'msn.com', 'me.com', 'mac.com', 'ymail.com', 'rocketmail.com', 'aim.com'],
  ...['googlemail.com', 'protonmail.com', 'proton.me', 'pm.me'],
  ...['fastmail.com', 'hey.com', 'zoho.com', 'mail.com', 'email.com', 'hushmail.com'],
  ...['tuta.com', 'tuta.io', 'tutanota.com', 'tutanota.de', 'mailbox.org', 'posteo.de', 'posteo.net'],
  ...['gmx.com', 'gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'web.de', 't-online.de', 'freenet.de', 'arcor.de'],
  ...['yandex.ru', 'yandex.com', 'ya.ru', 'mail.ru', 'list.ru', 'bk.ru', 'inbox.ru', 'rambler.ru', 'ukr.net'],
  ...['qq.com', '163.com', '126.com', 'foxmail.com', 'sina.com', 'naver.com', 'daum.net', 'hanmail.net'],
  ...['docomo.ne.jp', 'ezweb.ne.jp', 'rediffmail.com', 'bigpond.com', 'bigpond.net.au', 'optusnet.com.au'],
  ...['comcast.net', 'verizon.net', 'att.net', 'sbcglobal.net', 'bellsouth.net', 'cox.net', 'charter.net'],
  ...['earthlink.net', 'juno.com', 'frontier.com', 'windstream.net', 'shaw.ca', 'rogers.com', 'sympatico.ca'],
  ...['orange.fr', 'wanadoo.fr', 'free.fr', 'laposte.net', 'sfr.fr', 'neuf.fr', 'live.fr', 'bbox.fr'],
  ...['libero.it', 'virgilio.it', 'tiscali.it', 'alice.it', 'tin.it', 'live.it', 'btinternet.com', 'sky.com'],
  ...['virginmedia.com', 'ntlworld.com', 'talktalk.net', 'live.co.uk', 'live.nl', 'ziggo.nl', 'kpnmail.nl'],
  ...['planet.nl', 'home.nl', 'telenet.be', 'skynet.be', 'bluewin.ch', 'seznam.cz', 'wp.pl', 'onet.pl'],
  ...['interia.pl', 'o2.pl', 'abv.bg', 'uol.com.br', 'bol.com.br', 'terra.com.br', 'live.de', 'live.com.au'],
];

const known = new Set([...leadingProviders, ...otherProviders]);

export function isWellKnownProvider(domain: string): boolean {
  return known.has(domain);
}
