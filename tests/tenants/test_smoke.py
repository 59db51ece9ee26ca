from apps.tenants.context import current_slug
def test_a(tenant): assert current_slug()=="acme"
def test_b(fresh_tenant): print(fresh_tenant)
