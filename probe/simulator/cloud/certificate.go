package cloud

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// authorities sign the hosts' certificates: the one that clients are told to trust, and
// one like that of a proxy which opens the connections of a company that did not tell.
type authorities struct{ trusted, unknown authority }

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

func newAuthorities() (a authorities, err error) {
	if a.trusted, err = newAuthority("Windsock Simulator Root"); err != nil {
		return a, err
	}
	a.unknown, err = newAuthority("Somebody Else's Root")
	return a, err
}

func newAuthority(name string) (authority, error) {
	template := certificateFor(name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("make root key: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return authority{}, fmt.Errorf("make root certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	return authority{certificate, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}, err
}

func certificateFor(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-24 * time.Hour),
		NotAfter:     time.Now().Add(31 * 24 * time.Hour),
	}
}

func (a authorities) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.trusted.certificate)
	return pool
}

// certificate is that of whatever host the client asks for.
func (s *Server) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	by := s.roots.trusted
	if s.current("") == FaultUntrusted {
		by = s.roots.unknown
	}
	template := certificateFor(hello.ServerName)
	template.DNSNames = []string{hello.ServerName}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, &key.PublicKey, by.key)
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
