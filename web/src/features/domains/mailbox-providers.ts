const providers = new Set([
  ...[
    'gmail.com',
    'googlemail.com',
    'outlook.com',
    'hotmail.com',
    'live.com',
    'msn.com',
    'yahoo.com',
    'ymail.com',
  ],
  ...['aol.com', 'icloud.com', 'me.com', 'mac.com', 'proton.me', 'protonmail.com', 'zoho.com', 'mail.com'],
  ...['gmx.com', 'gmx.de', 'gmx.net', 'gmx.at', 'gmx.ch', 'web.de', 't-online.de', 'freenet.de', 'posteo.de'],
  ...['hotmail.co.uk', 'yahoo.co.uk', 'btinternet.com', 'hotmail.fr', 'yahoo.fr', 'orange.fr', 'wanadoo.fr'],
  ...['free.fr', 'laposte.net', 'hotmail.it', 'yahoo.it', 'libero.it', 'hotmail.es', 'yahoo.es', 'ziggo.nl'],
  ...[
    'bluewin.ch',
    'telenet.be',
    'wp.pl',
    'onet.pl',
    'seznam.cz',
    'uol.com.br',
    'comcast.net',
    'verizon.net',
  ],
  ...['qq.com', '163.com', '126.com', 'naver.com', 'yandex.ru', 'yandex.com', 'mail.ru'],
]);

/** Whether everybody can have an address there, so that none of its users can add DNS records. */
export const isMailboxProvider = (domain: string): boolean => providers.has(domain.toLowerCase());
