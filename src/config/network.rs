//! IP networks, as in `DOCKET_TRUSTED_PROXIES`.

use std::net::IpAddr;
use std::str::FromStr;

/// An IP address, or a network in CIDR notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// Prefix length: 32 for a single IPv4 address, 128 for a single IPv6 address.
    bits: u32,
}

impl Network {
    /// Returns true if the network contains the address. An IPv4-mapped IPv6 address counts as IPv4.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                (own.to_bits() ^ other.to_bits()).checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = ();

    /// Parses `10.0.0.2`, `10.0.0.0/8` or `fd00::/8`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let given: IpAddr = address.trim().parse().map_err(|_| ())?;
        let most = if given.is_ipv4() { 32 } else { 128 };
        let bits: u32 = bits.map_or(Ok(most), |bits| bits.trim().parse().map_err(|_| ()))?;
        // `::ffff:10.0.0.0/104` is 10.0.0.0/8.
        let mapped = most - if given.to_canonical().is_ipv4() { 32 } else { most };
        let bits = bits.checked_sub(mapped).filter(|bits| *bits <= most - mapped).ok_or(())?;
        Ok(Self { address: given.to_canonical(), bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_the_addresses_that_begin_like_it() {
        for (network, inside, outside) in [
            ("10.0.0.2", "10.0.0.2", "10.0.0.3"),
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.1"),
            ("10.1.2.3/8", "10.0.0.1", "9.255.255.255"),
            ("172.16.0.0/12", "172.31.255.255", "172.32.0.0"),
            ("192.168.1.128/25", "192.168.1.200", "192.168.1.127"),
            ("192.168.1.1/32", "192.168.1.1", "192.168.1.2"),
            ("0.0.0.0/0", "203.0.113.7", "2001:db8::1"),
            ("fd00::/8", "fdff::1", "fc00::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"),
            ("::1", "::1", "::2"),
            ("::/0", "2001:db8::1", "10.0.0.1"),
            ("10.0.0.0/8", "::ffff:10.1.2.3", "::ffff:11.0.0.1"),
            ("::ffff:10.0.0.0/104", "10.1.2.3", "11.0.0.1"),
            ("::ffff:10.0.0.1", "10.0.0.1", "10.0.0.2"),
        ] {
            let read: Network = network.parse().unwrap();
            assert!(read.contains(inside.parse().unwrap()), "{network} {inside}");
            assert!(!read.contains(outside.parse().unwrap()), "{network} {outside}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in ["", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0/8", "::/129", "/8"]
        {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
