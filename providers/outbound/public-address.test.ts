import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/**
 * Every block of the IANA IPv4 and IPv6 Special-Purpose Address Registries, multicast, and retired blocks (RFC 3879,
 * 4291, 7526). Globally reachable ones (AS112, AMT, anycast) are network services, not web servers.
 */
const specialBlocks = [
  ['this network', '0.0.0.0/8'],
  ['private use', '10.0.0.0/8'],
  ['shared address space', '100.64.0.0/10'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['private use', '172.16.0.0/12'],
  ['IETF protocol assignments', '192.0.0.0/24'],
  ['TEST-NET-1', '192.0.2.0/24'],
  ['AS112', '192.31.196.0/24'],
  ['AMT', '192.52.193.0/24'],
  ['6to4 relay', '192.88.99.0/24'],
  ['private use', '192.168.0.0/16'],
  ['AS112, direct delegation', '192.175.48.0/24'],
  ['benchmarking', '198.18.0.0/15'],
  ['TEST-NET-2', '198.51.100.0/24'],
  ['TEST-NET-3', '203.0.113.0/24'],
  ['multicast', '224.0.0.0/4'],
  ['reserved', '240.0.0.0/4'],
  ['unspecified and IPv4-compatible', '::/96'],
  ['loopback', '::1/128'],
  ['IPv4-mapped', '::ffff:0:0/96'],
  ['IPv4-translated', '::ffff:0:0:0/96'],
  ['NAT64', '64:ff9b::/96'],
  ['NAT64, local', '64:ff9b:1::/48'],
  ['discard', '100::/64'],
  ['dummy prefix', '100:0:0:1::/64'],
  ['IETF protocol assignments', '2001::/23'],
  ['Teredo', '2001::/32'],
  ['port control protocol anycast', '2001:1::1/128'],
  ['benchmarking', '2001:2::/48'],
  ['AMT', '2001:3::/32'],
  ['AS112', '2001:4:112::/48'],
  ['ORCHID', '2001:10::/28'],
  ['ORCHIDv2', '2001:20::/28'],
  ['drone remote ID', '2001:30::/28'],
  ['documentation', '2001:db8::/32'],
  ['6to4', '2002::/16'],
  ['AS112, direct delegation', '2620:4f:8000::/48'],
  ['documentation', '3fff::/20'],
  ['not assigned', '4000::/3'],
  ['segment routing', '5f00::/16'],
  ['unique local', 'fc00::/7'],
  ['link-local', 'fe80::/10'],
  ['site-local', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
] as const;

function edgesOf(block: string): string[] {
  const kind = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  return [kind.networkAddressFromCIDR(block).toString(), kind.broadcastAddressFromCIDR(block).toString()];
}

describe('no public address is', () => {
  it.each(specialBlocks)('%s: the first or last of %s', (_, block) => {
    for (const edge of edgesOf(block)) expect(isPublicAddress(edge), edge).toBe(false);
  });

  it.each([
    ['Amazon, Google, Azure', '169.254.169.254'],
    ['Amazon, containers', '169.254.170.2'],
    ['Amazon, IPv6', 'fd00:ec2::254'],
    ['Google, IPv6', 'fd20:ce::254'],
    ['Azure, platform services', '168.63.129.16'],
    ['Azure, mapped', '::ffff:168.63.129.16'],
    ['Alibaba', '100.100.100.200'],
    ['Oracle', '192.0.0.192'],
    ['a zone', 'fe80::a9fe:a9fe%1'],
  ])('the metadata service of a cloud: %s, %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['example.com', '', '127.1', '0x7f000001', '2130706433', '8.8.8.8/32', '[::1]'])(
    'an invalid address: %j',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});

it.each([
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['168.63.129.15', '168.63.129.17', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...[
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
  ],
  ...['2000::', '2001:200::', '2001:db7:ffff::1', '2001:db9::', '2003::', '2606:4700::1111', '3ffe:ffff::1'],
])('%s beside them is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});
