package settings

import (
	"testing"
	"time"
)

func TestSettingInTOML(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]string{
		5 * time.Minute: `"5m"`, time.Hour: `"1h"`, 90 * time.Second: `"1m30s"`, time.Hour + time.Second: `"1h0m1s"`,
		10 * time.Second: `"10s"`, 0: `"0s"`, 90 * time.Minute: `"1h30m"`, 10 * time.Hour: `"10h"`,
	} {
		c := sampleDefaults()
		c.Usage.Interval = interval
		if got, err := settingsOf(&c)[0].inTOML(); err != nil || got != want {
			t.Errorf("%v is %s, %v", interval, got, err)
		}
	}
}
